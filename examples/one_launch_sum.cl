// The sum of an array in one launch: a tree of work-groups.
//
// Each group of level 0 sums a block of ints. Each group of a higher level sums the results of up
// to 256 groups below it; the last level has one group. Group ids ascend with the levels. A group
// that has its result increments its parent's counter; a parent waits until all of its feeders
// have.
//
// Release and acquire on that counter order the results: the acquire that reads the final count
// sees all 256 releases, so all results are visible.
#define FAN_IN 256

typedef struct {
  uint first, count; // this level, in group ids
  uint index;        // index of this group in its level
  uint below;        // first group of the level below
  uint feeders;      // number of groups that feed this one; 0 on level 0
  uint parent;       // group id
} Place;

Place place_in_tree(uint group, uint leaves) {
  Place p = {0, leaves, group, 0, 0, 0};
  uint count_below = 0;
  while (p.index >= p.count) {
    p.index -= p.count;
    p.below = p.first;
    count_below = p.count;
    p.first += p.count;
    p.count = (p.count + FAN_IN - 1) / FAN_IN;
  }
  p.feeders = p.first == 0 ? 0 : min((uint)FAN_IN, count_below - p.index * FAN_IN);
  p.parent = p.first + p.count + p.index / FAN_IN;
  return p;
}

long sum_of_group(long mine, local long *partial) {
  const uint me = get_local_id(0);
  partial[me] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = get_local_size(0) / 2; step > 0; step /= 2) {
    if (me < step)
      partial[me] += partial[me + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return partial[0];
}

long sum_of_block(global const int *values, uint n, uint block, uint per_item) {
  long mine = 0;
  const uint me = get_local_id(0), items = get_local_size(0);
  const size_t first = (size_t)block * per_item * items;
  if (first + per_item * items <= n) { // all blocks but the last: uniform trip count
    for (uint i = 0; i < per_item; ++i)
      mine += values[first + i * items + me];
  } else {
    for (size_t i = first + me; i < n; i += items)
      mine += values[i];
  }
  return mine;
}

kernel void sum_in_one_launch(global const int *values, uint n, uint per_item, uint leaves, global long *results,
                              global atomic_uint *arrived, local long *partial) {
  const uint group = get_group_id(0);
  const Place p = place_in_tree(group, leaves);
  long mine = 0;
  if (p.feeders == 0) {
    mine = sum_of_block(values, n, p.index, per_item);
  } else {
    while (atomic_load_explicit(&arrived[group], memory_order_acquire, memory_scope_device) < p.feeders)
      ;
    for (uint i = get_local_id(0); i < p.feeders; i += get_local_size(0))
      mine += results[p.below + p.index * FAN_IN + i];
  }
  const long sum = sum_of_group(mine, partial);
  if (get_local_id(0) == 0) {
    results[group] = sum;
    if (group + 1 < get_num_groups(0))
      atomic_fetch_add_explicit(&arrived[p.parent], 1, memory_order_release, memory_scope_device);
  }
}

// For comparison, the sum in two launches: blocks first, then all of their results by one group.
kernel void sum_blocks(global const int *values, uint n, uint per_item, global long *results, local long *partial) {
  const long sum = sum_of_group(sum_of_block(values, n, get_group_id(0), per_item), partial);
  if (get_local_id(0) == 0)
    results[get_group_id(0)] = sum;
}

kernel void sum_results(global long *results, uint count, local long *partial) {
  long mine = 0;
  for (uint i = get_local_id(0); i < count; i += get_local_size(0))
    mine += results[i];
  const long sum = sum_of_group(mine, partial);
  if (get_local_id(0) == 0)
    results[count] = sum;
}

// ---- wrong, see one_launch_sum_wrong.cpp

// Only the last feeder of a parent opens its lock.
kernel void sum_with_last_one_unlocking(global const int *values, uint n, uint per_item, uint leaves,
                                        global long *results, global atomic_uint *locked, local long *partial,
                                        uint parent_locks) {
  const uint group = get_group_id(0);
  const Place p = place_in_tree(group, leaves);
  long mine = 0;
  if (p.feeders == 0) {
    mine = sum_of_block(values, n, p.index, per_item);
  } else {
    if (parent_locks) { // too late: the lock may have been opened before
      if (get_local_id(0) == 0)
        atomic_store_explicit(&locked[group], 1, memory_order_relaxed, memory_scope_device);
      barrier(CLK_GLOBAL_MEM_FENCE);
    }
    while (atomic_load_explicit(&locked[group], memory_order_acquire, memory_scope_device))
      ;
    for (uint i = get_local_id(0); i < p.feeders; i += get_local_size(0))
      mine += results[p.below + p.index * FAN_IN + i];
  }
  const long sum = sum_of_group(mine, partial);
  const bool is_last = p.index % FAN_IN == FAN_IN - 1 || p.index + 1 == p.count;
  if (get_local_id(0) == 0) {
    results[group] = sum;
    if (is_last && group + 1 < get_num_groups(0))
      atomic_store_explicit(&locked[p.parent], 0, memory_order_release, memory_scope_device);
  }
}
