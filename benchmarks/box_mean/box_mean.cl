// One row of one channel for each work-group; see examples/box_mean_async_copy.cl for why each wait and barrier is there.
kernel void box_mean(global const uint *integral, uint pitch, uint channels, uint radius, uint columns,
                     global float *mean, uint mean_pitch, local uint *lines, local float *result) {
  const uint channel = get_global_id(1), row = get_global_id(2), first_column = get_group_id(0) * columns;
  const uint box = 2 * radius + 1, length = columns + box;
  const float scale = 1.0f / (box * box);
  global const uint *from = integral + ((size_t)row * pitch + first_column) * channels + channel;
  event_t loaded = async_work_group_strided_copy(lines, from, length, channels, 0);
  loaded = async_work_group_strided_copy(lines + length, from + (size_t)box * pitch * channels, length, channels, loaded);
  wait_group_events(1, &loaded);
  for (uint x = get_local_id(0); x < columns; x += get_local_size(0)) {
    local uint *top = lines + x, *bottom = lines + length + x;
    result[x] = ((bottom[box] - bottom[0]) - (top[box] - top[0])) * scale;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  global float *to = mean + ((size_t)row * mean_pitch + first_column) * channels + channel;
  event_t stored = async_work_group_strided_copy(to, result, columns, channels, 0);
  wait_group_events(1, &stored);
}
