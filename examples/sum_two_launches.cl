// Sums: the first launch sums ints, the second one the longs that the first one left, one per
// work-group.
//
// The loop lets any number of work-items sum any number of elements, so no size has to be a
// multiple of another. No work-item returns early, because each must reach every barrier; one
// without elements contributes 0.
long sum_of_group(long mine, local long *partial) {
  const uint me = get_local_id(0);
  partial[me] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  // Halves round up, so that the local size need not be a power of two.
  for (uint count = get_local_size(0); count > 1;) {
    uint upper = (count + 1) / 2;
    if (me + upper < count)
      partial[me] += partial[me + upper];
    barrier(CLK_LOCAL_MEM_FENCE);
    count = upper;
  }
  return partial[0];
}

kernel void sum_ints(global const int *values, uint n, global long *sums, local long *partial) {
  long mine = 0;
  for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
    mine += values[i];
  long sum = sum_of_group(mine, partial);
  if (get_local_id(0) == 0)
    sums[get_group_id(0)] = sum;
}

kernel void sum_longs(global const long *values, uint n, global long *sums, local long *partial) {
  long mine = 0;
  for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
    mine += values[i];
  long sum = sum_of_group(mine, partial);
  if (get_local_id(0) == 0)
    sums[get_group_id(0)] = sum;
}
