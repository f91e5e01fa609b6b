// Sub-groups: their barriers, scopes, and what orders no lanes.
#include "arguments.h"

#pragma OPENCL EXTENSION cl_khr_subgroups : enable

#define PASS_ON(between)                                                                                               \
  const uint lane = get_sub_group_local_id(), first = ITEM - lane, lanes = get_sub_group_size();                       \
  tmp[ITEM] = ITEM;                                                                                                    \
  between;                                                                                                             \
  data[get_global_id(0)] = tmp[first + (lane + 1) % lanes];
kernel void lanes_pass_on(ARGUMENTS) { PASS_ON(sub_group_barrier(CLK_LOCAL_MEM_FENCE)) }
kernel void lanes_pass_on_without_barrier(ARGUMENTS) { PASS_ON() }
kernel void lanes_pass_on_to_another_sub_group(ARGUMENTS) {
  tmp[ITEM] = ITEM;
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);
  data[get_global_id(0)] = tmp[LAST - ITEM];
}
kernel void lanes_pass_on_with_shuffle_only(ARGUMENTS) {
  int sum;
  PASS_ON(sum = sub_group_broadcast((int)ITEM, 0))
  data[get_global_id(0)] += sum;
}

// ---- scopes

// Scopes within a group: a counter for each sub-group, or one for all.
#define SUB_GROUP_SCOPE memory_order_relaxed, memory_scope_sub_group
#define COUNT(which, ...)                                                                                              \
  local atomic_uint counts[64];                                                                                        \
  atomic_init(&counts[ITEM], 0);                                                                                       \
  barrier(CLK_LOCAL_MEM_FENCE);                                                                                        \
  atomic_fetch_add_explicit(&counts[which], 1, __VA_ARGS__);                                                           \
  barrier(CLK_LOCAL_MEM_FENCE);                                                                                        \
  data[get_global_id(0)] = atomic_load_explicit(&counts[ITEM], RELAXED);
kernel void counters_of_sub_groups(ARGUMENTS) { COUNT(get_sub_group_id(), SUB_GROUP_SCOPE) }
kernel void counter_of_the_group(ARGUMENTS) { COUNT(0, memory_order_relaxed, memory_scope_work_group) }
kernel void counter_of_the_group_with_scope_of_a_sub_group(ARGUMENTS) { COUNT(0, SUB_GROUP_SCOPE) }
kernel void counter_with_scope_of_a_work_item(ARGUMENTS) { COUNT(0, memory_order_relaxed, memory_scope_work_item) }

// From the first work-item of a sub-group to the others of it, or to those of another one.
#define HAND_ON(writer, scope)                                                                                         \
  local atomic_uint done[64];                                                                                          \
  atomic_init(&done[ITEM], 0);                                                                                         \
  barrier(CLK_LOCAL_MEM_FENCE);                                                                                        \
  if (get_sub_group_local_id() == 0) {                                                                                 \
    tmp[get_sub_group_id()] = ITEM;                                                                                    \
    atomic_store_explicit(&done[get_sub_group_id()], 1, memory_order_release, scope);                                  \
  }                                                                                                                    \
  if (atomic_load_explicit(&done[writer], memory_order_acquire, scope))                                                \
    data[get_global_id(0)] = tmp[writer];
kernel void hand_on_in_sub_group(ARGUMENTS) { HAND_ON(get_sub_group_id(), memory_scope_sub_group) }
kernel void hand_on_in_group(ARGUMENTS) { HAND_ON(0, memory_scope_work_group) }
kernel void hand_on_with_scope_of_a_sub_group(ARGUMENTS) { HAND_ON(0, memory_scope_sub_group) }
