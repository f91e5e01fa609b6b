// Prefix sums in a single pass over the data: "decoupled look-back" (Merrill and Garland, 2016).
//
// Each work-group sums its block and publishes that sum. Then it looks back, group by group, and
// adds what its predecessors have published. It stops at a group that has published the sum of
// everything up to itself. A group waits only for groups with smaller numbers to publish their own
// sums, which these do without waiting.
#define NOTHING 0
#define OWN_SUM 1
#define SUM_UP_TO_HERE 2

kernel void scan(global const uint *values, global uint *sums, uint n, uint per_item, global atomic_uint *state,
                 global uint *own_sum, global uint *sum_up_to_here, local uint *partial) {
  const uint group = get_group_id(0), me = get_local_id(0), items = get_local_size(0);
  const size_t first = ((size_t)group * items + me) * per_item;
  uint mine = 0;
  for (size_t i = first; i < min((size_t)n, first + per_item); ++i)
    mine += values[i];
  partial[me] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint distance = 1; distance < items; distance *= 2) {
    const uint before = me >= distance ? partial[me - distance] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    partial[me] += before;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  const uint total = partial[items - 1];
  if (me == 0) {
    own_sum[group] = total;
    atomic_store_explicit(&state[group], OWN_SUM, memory_order_release, memory_scope_device);
  }
  // All work-items look back together and read the same values.
  uint before_group = 0;
  for (uint other = group; other > 0;) {
    --other;
    uint what;
    while ((what = atomic_load_explicit(&state[other], memory_order_acquire, memory_scope_device)) == NOTHING)
      ;
    if (what == SUM_UP_TO_HERE) {
      before_group += sum_up_to_here[other];
      break;
    }
    before_group += own_sum[other];
  }
  if (me == 0) {
    sum_up_to_here[group] = before_group + total;
    atomic_store_explicit(&state[group], SUM_UP_TO_HERE, memory_order_release, memory_scope_device);
  }
  uint running = before_group + partial[me] - mine;
  for (size_t i = first; i < min((size_t)n, first + per_item); ++i)
    sums[i] = running += values[i];
}
