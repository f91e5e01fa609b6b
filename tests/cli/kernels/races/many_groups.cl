// Locks, counters, barriers of all groups, and waits that never end.
#include "arguments.h"

// ---- locks

#define UNDER_LOCK(take, give)                                                                                         \
  if (ITEM == 0) {                                                                                                     \
    while (take != 0)                                                                                                  \
      ;                                                                                                                \
    data[0] += 1;                                                                                                      \
    give;                                                                                                              \
  }
kernel void lock_right(ARGUMENTS) {
  UNDER_LOCK(atomic_exchange_explicit(&flags[0], 1, ACQUIRE), atomic_store_explicit(&flags[0], 0, RELEASE))
}
kernel void lock_relaxed(ARGUMENTS) {
  UNDER_LOCK(atomic_exchange_explicit(&flags[0], 1, RELAXED), atomic_store_explicit(&flags[0], 0, RELEASE))
}
kernel void lock_given_back_relaxed(ARGUMENTS) {
  UNDER_LOCK(atomic_exchange_explicit(&flags[0], 1, ACQUIRE), atomic_store_explicit(&flags[0], 0, RELAXED))
}

// ---- counters

// The last group sums what the others have; the right one counts them.
#define SUM(arrive, wait)                                                                                              \
  const uint group = get_group_id(0), groups = get_num_groups(0);                                                      \
  if (group + 1 < groups) {                                                                                            \
    if (ITEM == 0) {                                                                                                   \
      data[group] = 1;                                                                                                 \
      arrive;                                                                                                          \
    }                                                                                                                  \
  } else {                                                                                                             \
    while (wait)                                                                                                       \
      ;                                                                                                                \
    int mine = 0;                                                                                                      \
    for (uint i = ITEM; i + 1 < groups; i += get_local_size(0))                                                        \
      mine += data[i];                                                                                                 \
    tmp[ITEM] = mine;                                                                                                  \
  }
kernel void sum_of_all(ARGUMENTS) {
  SUM(atomic_fetch_add_explicit(&flags[0], 1, RELEASE), LOAD(ACQUIRE) + 1 < groups)
}
kernel void sum_of_the_last(ARGUMENTS) {
  SUM(if (group + 2 == groups) STORE(RELEASE), LOAD(ACQUIRE) == 0)
}
kernel void counted_by_relaxed_atomics(ARGUMENTS) {
  if (ITEM)
    return;
  data[get_group_id(0)] = 1;
  if (atomic_inc((volatile global int *)flags) == get_num_groups(0) - 1)
    for (size_t i = 0; i != get_num_groups(0); ++i)
      data[get_global_size(0) - 1] += data[i];
}
// A loop that swaps is an atomic sum with the order of its swap.
#define COUNT_BY_SWAP(order)                                                                                           \
  if (ITEM)                                                                                                            \
    return;                                                                                                            \
  data[get_group_id(0)] = 1;                                                                                           \
  uint seen = LOAD(RELAXED);                                                                                           \
  while (!atomic_compare_exchange_weak_explicit(&flags[0], &seen, seen + 1, order, memory_order_relaxed,               \
                                                memory_scope_device))                                                  \
    ;                                                                                                                  \
  if (seen == get_num_groups(0) - 1)                                                                                   \
    for (size_t i = 0; i != get_num_groups(0); ++i)                                                                    \
      data[get_global_size(0) - 1] += data[i];
kernel void counted_by_swaps(ARGUMENTS) { COUNT_BY_SWAP(memory_order_acq_rel) }
kernel void counted_by_relaxed_swaps(ARGUMENTS) { COUNT_BY_SWAP(memory_order_relaxed) }
// A loop that multiplies by swaps is an atomic product with the order of its swap.
#define RELEASE_BY_PRODUCT(order)                                                                                      \
  if (ITEM)                                                                                                            \
    return;                                                                                                            \
  if (get_group_id(0) == 0) {                                                                                          \
    data[0] = 7;                                                                                                       \
    STORE(RELAXED);                                                                                                    \
    uint seen = LOAD(RELAXED);                                                                                         \
    while (!atomic_compare_exchange_weak_explicit(&flags[0], &seen, seen * 3, order, memory_order_relaxed,             \
                                                  memory_scope_device))                                                \
      ;                                                                                                                \
  } else if (get_group_id(0) == 1) {                                                                                   \
    while (LOAD(ACQUIRE) != 3)                                                                                         \
      ;                                                                                                                \
    data[1] = data[0];                                                                                                 \
  }
kernel void hand_over_by_product(ARGUMENTS) { RELEASE_BY_PRODUCT(memory_order_acq_rel) }
kernel void hand_over_by_relaxed_product(ARGUMENTS) { RELEASE_BY_PRODUCT(memory_order_relaxed) }
kernel void counted_with_fence_before_only(ARGUMENTS) {
  if (ITEM)
    return;
  data[get_group_id(0)] = 1;
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  if (atomic_inc((volatile global int *)flags) == get_num_groups(0) - 1)
    for (size_t i = 0; i != get_num_groups(0); ++i)
      data[get_global_size(0) - 1] += data[i];
}
kernel void counted_before_a_local_counter(ARGUMENTS) {
  if (ITEM)
    return;
  tmp[0] = 0;
  data[get_group_id(0)] = 1;
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  if (atomic_inc((volatile global int *)flags) != get_num_groups(0) - 1)
    return;
  for (size_t i = 0; i != get_num_groups(0); ++i) {
    atomic_inc((volatile local int *)tmp);
    data[get_global_size(0) - 1] += data[i];
  }
}
kernel void last_group_without_barrier(ARGUMENTS) {
  if (ITEM == 0) {
    data[get_group_id(0)] = 1;
    tmp[0] = atomic_fetch_add_explicit(flags, 1, memory_order_acq_rel, memory_scope_device);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (tmp[0] == get_num_groups(0) - 1 && ITEM == 1)
    data[get_global_size(0) - 1] = data[0];
}

// ---- all groups meet

// They count themselves in, and the last one opens for all.
uint arrive(global atomic_uint *flags, memory_order order) {
  switch (order) {
  case memory_order_relaxed:
    return atomic_fetch_add_explicit(&flags[0], 1, RELAXED);
  case memory_order_acquire:
    return atomic_fetch_add_explicit(&flags[0], 1, ACQUIRE);
  case memory_order_release:
    return atomic_fetch_add_explicit(&flags[0], 1, RELEASE);
  case memory_order_acq_rel:
    return atomic_fetch_add_explicit(&flags[0], 1, memory_order_acq_rel, memory_scope_device);
  default:
    return atomic_fetch_add(&flags[0], 1);
  }
}
void meet(global atomic_uint *flags, memory_order order, bool waits, uint step) {
  const uint groups = get_num_groups(0);
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (ITEM == 0) {
    const uint arrived = arrive(flags, order) + 1;
    if (arrived % groups == 0)
      atomic_store_explicit(&flags[1], arrived / groups, RELEASE);
  }
  if (waits)
    while (atomic_load_explicit(&flags[1], ACQUIRE) < step)
      ;
  barrier(CLK_GLOBAL_MEM_FENCE);
}
void pass_on_and_meet(global int *data, global atomic_uint *flags, memory_order order, bool waits) {
  const size_t i = get_global_id(0);
  for (uint step = 1; step <= 8; step += 2) {
    const int mine = data[(i + 1) % get_global_size(0)];
    meet(flags, order, waits, step);
    data[i] = mine + 1;
    meet(flags, order, waits, step + 1);
  }
}
kernel void all_meet(ARGUMENTS) {
  pass_on_and_meet(data, flags, memory_order_acq_rel, true);
}
kernel void all_meet_by_default(ARGUMENTS) {
  pass_on_and_meet(data, flags, memory_order_seq_cst, true);
}
kernel void all_meet_relaxed(ARGUMENTS) {
  pass_on_and_meet(data, flags, memory_order_relaxed, true);
}
kernel void all_meet_that_acquire_only(ARGUMENTS) {
  pass_on_and_meet(data, flags, memory_order_acquire, true);
}
kernel void all_meet_that_release_only(ARGUMENTS) { // whoever opens has acquired nothing
  pass_on_and_meet(data, flags, memory_order_release, true);
}
kernel void all_meet_but_one(ARGUMENTS) { // it does not wait for the others
  pass_on_and_meet(data, flags, memory_order_acq_rel, get_group_id(0) != 1);
}

// ---- who waits for ever

kernel void waits_for_nobody(ARGUMENTS) {
  if (ITEM == 0)
    while (LOAD(ACQUIRE) == 0)
      ;
}
kernel void waits_on_plain_variable_for_nobody(ARGUMENTS) {
  if (ITEM == 0)
    while (data[1] == 0)
      ;
  tmp[ITEM] = 1;
}
kernel void waits_on_plain_variable_of_its_group(ARGUMENTS) {
  if (ITEM == 0)
    tmp[0] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (ITEM == get_local_size(0) - 1)
    tmp[0] = 1;
  else if (ITEM == 0)
    while (tmp[0] == 0)
      ;
  data[get_global_id(0)] = 1;
}
kernel void waits_on_plain_variable(ARGUMENTS) {
  if (get_group_id(0) == 0) {
    if (ITEM == 0)
      data[0] = 1;
  } else if (ITEM == 0) {
    while (data[0] == 0)
      ;
    data[get_global_id(0)] = 1;
  }
}
