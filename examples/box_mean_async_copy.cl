// Mean of the (2*radius+1)^2 box around every pixel of an interleaved image, from its integral
// image.
//
// `integral` has a border of radius+1 rows above and columns at the left, and of radius rows and
// columns at the other sides. It has `channels` numbers per pixel: integral(x, y) is the sum of all
// pixels left of x and above y (mod 2^32; differences are exact). So a box sum is  (bottom right -
// bottom left) - (top right - top left).
//
// One work-group computes `rows` rows of one channel, `columns` pixels wide. The numbers of one
// channel are `channels` elements apart in global memory: strided copies gather them into
// contiguous local memory and scatter the results back. While a row is computed, the copies of the
// next row are under way (two sets of input lines).
#ifndef LEAVE_OUT
#define LEAVE_OUT 0
#endif

kernel void box_mean(global const uint *integral, uint pitch, uint channels, uint radius, uint columns, uint rows,
                     global float *mean, uint mean_pitch, local uint *lines, local float *result) {
  const uint channel = get_global_id(1);
  const uint first_column = get_group_id(0) * columns;
  const uint first_row = get_global_id(2) * rows;
  const uint box = 2 * radius + 1;
  const uint length = columns + box;
  const float scale = 1.0f / (box * box);
  global const uint *from = integral + ((size_t)first_row * pitch + first_column) * channels + channel;
  global float *to = mean + ((size_t)first_row * mean_pitch + first_column) * channels + channel;
  const size_t line_step = (size_t)pitch * channels;

  local uint *now = lines;
  local uint *next = lines + 2 * length;
  event_t loaded = async_work_group_strided_copy(now, from, length, channels, 0);
  loaded = async_work_group_strided_copy(now + length, from + box * line_step, length, channels, loaded);

  for (uint row = 0; row < rows; ++row) {
    // 1. After this wait, both lines of the row are complete and every work-item may read them.
    // Without it, work-items may read the previous contents of local memory. A device that copies
    // as soon as the copy is called does not show the mistake.
    wait_group_events(1, &loaded);

    // The next row's lines overwrite those of the previous row; barrier 2 of the previous iteration
    // separates the two.
    if (row + 1 < rows) {
      from += line_step;
      loaded = async_work_group_strided_copy(next, from, length, channels, 0);
      loaded = async_work_group_strided_copy(next + length, from + box * line_step, length, channels, loaded);
    }

    for (uint x = get_local_id(0); x < columns; x += get_local_size(0)) {
      local uint *top = now + x, *bottom = now + length + x;
      result[x] = ((bottom[box] - bottom[0]) - (top[box] - top[0])) * scale;
    }

    // 2. This barrier has two purposes. All results of the row are written before the copy out
    // reads them. All reads of `now` are complete before the next iteration lets a copy overwrite
    // it, because an async copy waits for no work-item. Without the barrier, two kinds of device
    // are right by luck: those that execute all work-items in lockstep (one SIMD register), and
    // those whose copies contain a barrier. A device that runs work-items one after the other
    // copies after the first one.
#if LEAVE_OUT != 2
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    event_t stored = async_work_group_strided_copy(to, result, columns, channels, 0);
    to += (size_t)mean_pitch * channels;

    // 3. The results are copied out before the next iteration overwrites them. No further barrier
    // is needed: when the wait returns to one work-item, the copy is complete for the whole group.
    // Without this wait, the result is right by luck, as without 1.
    wait_group_events(1, &stored);

    local uint *swap = now;
    now = next;
    next = swap;
  }
}
