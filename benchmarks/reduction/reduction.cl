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

#ifdef ONE_LAUNCH
#define FEEDERS 256

// Item 0 gets the sum: no barrier lets others read it.
int tree_of_group(global const int *values, local int *partial) {
  const uint me = get_local_id(0);
  partial[me] = values[get_global_id(0)];
  for (uint step = get_local_size(0) / 2; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me < step)
      partial[me] += partial[me + step];
  }
  return me == 0 ? partial[0] : 0;
}

// The tree in one launch: the last of each FEEDERS groups waits for the others, adds what they left, and then for all like
// it, if it is the last of all.
kernel void tree_one_launch(global const int *values, global int *sums, global atomic_uint *arrived, global int *total,
                            local int *partial) {
  const int sum = tree_of_group(values, partial);
  if (get_local_id(0) != 0)
    return;
  const uint group = get_group_id(0), leader = group / FEEDERS, leaders = get_num_groups(0) / FEEDERS;
  sums[group] = sum;
  atomic_fetch_add_explicit(&arrived[1 + leader], 1, memory_order_release, memory_scope_device);
  if (group % FEEDERS != FEEDERS - 1)
    return;
  while (atomic_load_explicit(&arrived[1 + leader], memory_order_acquire, memory_scope_device) != FEEDERS)
    ;
  int sum_of_leader = 0;
  for (uint i = 0; i < FEEDERS; ++i)
    sum_of_leader += sums[leader * FEEDERS + i];
  sums[group] = sum_of_leader;
  atomic_fetch_add_explicit(&arrived[0], 1, memory_order_release, memory_scope_device);
  if (leader != leaders - 1)
    return;
  while (atomic_load_explicit(&arrived[0], memory_order_acquire, memory_scope_device) != leaders)
    ;
  int all = 0;
  for (uint i = 0; i < leaders; ++i)
    all += sums[i * FEEDERS + FEEDERS - 1];
  *total = all;
}

// The sum in one launch as examples/one_launch_sum.cl has it: a tree of groups, FEEDERS of a level for each group of the next one,
// one group for all of that.
kernel void sum_in_groups_that_wait(global const int *values, uint per_item, uint leaves, global int *sums,
                                    global atomic_uint *arrived, global int *total, local int *partial) {
  const uint me = get_local_id(0), items = get_local_size(0), group = get_group_id(0), parents = leaves / FEEDERS,
             root = leaves + parents;
  int mine = 0;
  if (group < leaves) {
    for (uint i = 0; i < per_item; ++i)
      mine += values[((size_t)group * per_item + i) * items + me];
  } else {
    const uint first = group == root ? leaves : (group - leaves) * FEEDERS, feeders = group == root ? parents : FEEDERS;
    while (atomic_load_explicit(&arrived[group - leaves], memory_order_acquire, memory_scope_device) != feeders)
      ;
    for (uint i = me; i < feeders; i += items)
      mine += sums[first + i];
  }
  partial[me] = mine;
  for (uint step = items / 2; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me < step)
      partial[me] += partial[me + step];
  }
  if (me != 0)
    return;
  if (group == root) {
    *total = partial[0];
  } else {
    sums[group] = partial[0];
    const uint parent = group < leaves ? group / FEEDERS : parents;
    atomic_fetch_add_explicit(&arrived[parent], 1, memory_order_release, memory_scope_device);
  }
}

// The plain tree in a kernel that would wait if `busy` said so, which it never does.
kernel void tree_that_could_wait(global const int *values, global int *sums, global atomic_int *busy, local int *partial) {
  const int sum = tree_of_group(values, partial);
  if (get_local_id(0) == 0) {
    while (atomic_load_explicit(busy, memory_order_acquire, memory_scope_device))
      ;
    sums[get_group_id(0)] = sum;
  }
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
