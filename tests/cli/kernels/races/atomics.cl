// Atomic updates and plain accesses of the same words.
#include "arguments.h"

kernel void histogram(ARGUMENTS) { atomic_inc(&data[get_global_id(0) % 7]); }
// Made into one read by the compiler, which has no line then.
kernel void histogram_read_either_way(ARGUMENTS) {
  if (ITEM < 32)
    tmp[ITEM] = data[0];
  else
    tmp[ITEM] = data[0] + 1;
  atomic_inc(&data[0]);
}
kernel void histogram_read_plainly(ARGUMENTS) {
  atomic_inc(&data[get_global_id(0) % 7]);
  tmp[ITEM] = data[0];
}
kernel void histogram_of_narrow_scope(ARGUMENTS) {
  atomic_fetch_add_explicit(&flags[0], 1, memory_order_relaxed, memory_scope_work_group);
}

// ---- tables of groups

// Each group has a table of its own, at places that nobody knows before; some of these tables lie on two pages.
#define COUNT_IN_TABLE(item, entries)                                                                                  \
  global atomic_uint *table = (global atomic_uint *)data + get_group_id(0) * 63;                                       \
  const uint seen = atomic_load_explicit(&flags[0], RELAXED);                                                          \
  for (uint round = 0; round < 8; ++round)                                                                             \
    atomic_fetch_add_explicit(&table[(item * (2 * round + 5) + seen) % entries], 1, memory_order_relaxed, memory_scope_work_group);
kernel void tables_of_groups(ARGUMENTS) { COUNT_IN_TABLE(ITEM, 63) }
kernel void tables_of_groups_that_overlap(ARGUMENTS) { COUNT_IN_TABLE(ITEM, 64) }
kernel void tables_of_groups_read_by_others(ARGUMENTS) {
  COUNT_IN_TABLE(ITEM, 63)
  if (ITEM == 3)
    tmp[ITEM] = data[get_group_id(0) * 63 + 40];
}

// ---- plain reads that a swap tries

// A plain first guess of a swap, and one that decides something besides.
kernel void swap_with_guess(ARGUMENTS) {
  int seen = data[0], expected;
  do {
    expected = seen;
    seen = atomic_cmpxchg(&data[0], expected, expected * 3 + 1);
  } while (seen != expected);
}
kernel void swap_with_guess_that_decides(ARGUMENTS) {
  int seen = data[0], expected;
  if (seen == 12345)
    return;
  do {
    expected = seen;
    seen = atomic_cmpxchg(&data[0], expected, expected * 3 + 1);
  } while (seen != expected);
}
// What one expects of its swap, others read for something else.
kernel void swap_with_guess_beside_a_read(ARGUMENTS) {
  int seen = data[0], expected;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (ITEM == 60)
    tmp[0] = data[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  do {
    expected = seen;
    seen = atomic_cmpxchg(&data[0], expected, expected * 3 + 1);
  } while (seen != expected);
}

// A product, with a first guess that is volatile.
#define MULTIPLY                                                                                                       \
  volatile global int *word = data;                                                                                    \
  int seen = *word, expected;                                                                                          \
  do {                                                                                                                 \
    expected = seen;                                                                                                   \
    seen = atomic_cmpxchg(word, expected, expected * 3);                                                               \
  } while (seen != expected);
kernel void product_by_swaps(ARGUMENTS) { MULTIPLY }
kernel void product_by_swaps_read_plainly(ARGUMENTS) {
  MULTIPLY
  tmp[ITEM] = data[0];
}
kernel void product_by_swaps_and_plainly(ARGUMENTS) {
  if (get_global_id(0) == 70) {
    data[0] = 5;
  } else {
    MULTIPLY
  }
}

// ---- what all work-items read, where some order others

kernel void read_by_all(ARGUMENTS) {
  const int read = data[3];
  if (get_global_id(0) != 3)
    data[get_global_id(0)] = read + 1;
  if (ITEM == 0)
    atomic_fetch_add_explicit(flags, 1, memory_order_acq_rel, memory_scope_device);
}
kernel void read_by_all_and_written(ARGUMENTS) {
  const int read = data[3];
  if (ITEM == 0)
    atomic_fetch_add_explicit(flags, 1, memory_order_acq_rel, memory_scope_device);
  data[get_global_id(0)] = read;
}
