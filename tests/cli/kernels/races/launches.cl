// What is proven of a kernel and hangs on the launch: each takes a buffer of ints and numbers.

kernel void rows(global int *data, uint pitch) {
  data[get_global_id(1) * pitch + get_global_id(0)] = get_global_id(0) * 3 + get_global_id(1);
}
// `partner` is to be `distance`.
kernel void pairs_of_runs(global int *data, uint distance, uint partner) {
  const uint i = get_global_id(0), low = i / distance * 2 * distance + i % distance, high = low + partner;
  const int one = data[low], other = data[high];
  data[low] = other + 1;
  data[high] = one + 1;
}
// One work-item of two exchanges their elements, whatever `step` is; without the order, both do.
kernel void exchange(global int *data, uint step) {
  const uint i = get_global_id(0), partner = i ^ step;
  if (partner > i) {
    const int one = data[i], other = data[partner];
    data[i] = other + 1;
    data[partner] = one + 2;
  }
}
kernel void exchange_by_both(global int *data, uint step) {
  const uint i = get_global_id(0), partner = i ^ step;
  if (partner != i) {
    const int one = data[i], other = data[partner];
    data[i] = other + 1;
    data[partner] = one + 2;
  }
}
kernel void exchange_by_clear_bits(global int *data, uint step) {
  const uint i = get_global_id(0);
  if ((i & step) == 0) {
    const int one = data[i], other = data[i + step];
    data[i] = other + 1;
    data[i + step] = one + 2;
  }
}
kernel void exchange_by_some_bits(global int *data, uint step) {
  const uint i = get_global_id(0);
  if ((i & step) != step) {
    const int one = data[i], other = data[i ^ step];
    data[i] = other + 1;
    data[i ^ step] = one + 2;
  }
}
// With work-items beyond the last column.
kernel void rows_of_a_width(global int *data, uint pitch, uint width) {
  const uint x = get_global_id(0), y = get_global_id(1);
  if (x < width)
    data[y * pitch + x] = x * 3 + y;
}
// Each work-item has `each` elements, and `more` of the next one's; the last ones have less.
kernel void parts_up_to_the_end(global int *data, uint each, uint more, uint all) {
  const uint first = get_global_id(0) * each;
  for (uint i = first; i < min(first + each + more, all); ++i)
    data[i] += i;
}
kernel void parts_that_end_early(global int *data, uint each, uint more, uint all) {
  const int first = get_global_id(0) * each, last = first + each + more;
  for (int i = first; i < last && i < (int)all; ++i) {
    if (data[i] == 7)
      break;
    data[i] += i;
  }
}
kernel void parts_of_eight(global int *data, uint each, uint more, uint all) {
  const size_t first = get_global_id(0) * each, next = first + 8 + more, last = next < all ? next : all;
  for (size_t i = first; i < last; i++)
    data[i] = i;
}
kernel void parts_below_the_largest_number(global int *data, uint each, uint more, uint all) {
  const uint first = get_global_id(0) * each + all;
  for (uint i = first; i < first + 8; i++)
    data[i] = data[i] * 3 + each;
}
kernel void copies_of_rows(global int *data, uint pitch, uint distance, local int *tmp) {
  const uint n = get_local_size(0);
  event_t copied[2];
  copied[0] = async_work_group_copy(tmp, data, n, 0);
  copied[1] = async_work_group_copy(tmp + distance, data, n, 0);
  wait_group_events(2, copied);
}
kernel void copies_to_rows(global int *data, uint pitch, uint distance, local int *tmp) {
  const uint n = get_local_size(0);
  tmp[get_local_id(0)] = get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t copied = async_work_group_strided_copy(data + get_group_id(0) * pitch, tmp, n, distance, 0);
  wait_group_events(1, &copied);
}
