// One partial sum per work-group, by the tree of every textbook.
kernel void tree(global const int *values, global int *sums, local int *partial) {
  const size_t me = get_local_id(0);
  partial[me] = values[get_global_id(0)];
  for (size_t step = get_local_size(0) / 2; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me < step)
      partial[me] += partial[me + step];
  }
  if (me == 0)
    sums[get_group_id(0)] = partial[0];
}

// The same after each work-item has summed its share of the array.
kernel void strided_tree(global const int *values, uint n, global int *sums, local int *partial) {
  const size_t me = get_local_id(0);
  int mine = 0;
  for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
    mine += values[i];
  partial[me] = mine;
  for (size_t step = get_local_size(0) / 2; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me < step)
      partial[me] += partial[me + step];
  }
  if (me == 0)
    sums[get_group_id(0)] = partial[0];
}

#ifdef COLLECTIVES
kernel void collective(global const int *values, uint n, global int *sums) {
  int mine = 0;
  for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
    mine += values[i];
  int sum = work_group_reduce_add(mine);
  if (get_local_id(0) == 0)
    sums[get_group_id(0)] = sum;
}
#endif

#ifdef LAST_GROUP
// One launch: the group that finishes last sums what all groups left. No group waits for another.
kernel void last_group(global const int *values, uint n, global int *sums, global atomic_uint *finished, global int *total,
                       local int *partial) {
  const size_t me = get_local_id(0);
  local uint before;
  int mine = 0;
  for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
    mine += values[i];
  partial[me] = mine;
  for (size_t step = get_local_size(0) / 2; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me < step)
      partial[me] += partial[me + step];
  }
  if (me == 0) {
    sums[get_group_id(0)] = partial[0];
    // Release what this group wrote, acquire what the others did.
    before = atomic_fetch_add_explicit(finished, 1, memory_order_acq_rel, memory_scope_device);
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (before != get_num_groups(0) - 1)
    return;
  mine = 0;
  for (size_t i = me; i < get_num_groups(0); i += get_local_size(0))
    mine += sums[i];
  partial[me] = mine;
  for (size_t step = get_local_size(0) / 2; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me < step)
      partial[me] += partial[me + step];
  }
  if (me == 0)
    *total = partial[0];
}
#endif
