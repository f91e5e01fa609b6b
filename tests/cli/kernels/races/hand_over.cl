// One group hands over to others: stores and loads, fences, scopes, and what ends a release sequence.
#include "arguments.h"

#define HAND_OVER(write_fence, store, load, read_fence)                                                                \
  if (get_group_id(0) == 0) {                                                                                          \
    data[ITEM] = ITEM;                                                                                                 \
    barrier(CLK_GLOBAL_MEM_FENCE);                                                                                     \
    if (ITEM == 0) {                                                                                                   \
      write_fence;                                                                                                     \
      store;                                                                                                           \
    }                                                                                                                  \
  } else {                                                                                                             \
    if (ITEM == 0) {                                                                                                   \
      while (load == 0)                                                                                                \
        ;                                                                                                              \
      read_fence;                                                                                                      \
    }                                                                                                                  \
    barrier(CLK_GLOBAL_MEM_FENCE);                                                                                     \
    data[get_global_id(0)] = data[LAST - ITEM];                                                                        \
  }
kernel void hand_over(ARGUMENTS) { HAND_OVER(, STORE(RELEASE), LOAD(ACQUIRE), ) }
kernel void hand_over_relaxed_store(ARGUMENTS) { HAND_OVER(, STORE(RELAXED), LOAD(ACQUIRE), ) }
kernel void hand_over_relaxed_load(ARGUMENTS) { HAND_OVER(, STORE(RELEASE), LOAD(RELAXED), ) }
kernel void hand_over_by_fences(ARGUMENTS) {
  HAND_OVER(FENCE(memory_order_release), STORE(RELAXED), LOAD(RELAXED), FENCE(memory_order_acquire))
}
kernel void hand_over_with_one_fence(ARGUMENTS) {
  HAND_OVER(FENCE(memory_order_release), STORE(RELAXED), LOAD(RELAXED), )
}
kernel void hand_over_with_fence_of_local_memory(ARGUMENTS) {
  HAND_OVER(atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_release, memory_scope_device), STORE(RELAXED),
            LOAD(RELAXED), FENCE(memory_order_acquire))
}
kernel void hand_over_in_small_scope(ARGUMENTS) {
  HAND_OVER(, atomic_store_explicit(&flags[0], 1, memory_order_release, memory_scope_work_group), LOAD(ACQUIRE), )
}

// ---- scopes, orders and flags that a helper gets, or that a variable has

void store_by_helper(global atomic_uint *flag, memory_order order, memory_scope scope) {
  atomic_store_explicit(flag, 1, order, scope);
}
uint load_by_helpers(global atomic_uint *flag, memory_order order, memory_scope scope) {
  return atomic_load_explicit(flag, order, scope);
}
uint load_by_helper(global atomic_uint *flag, memory_order order) {
  return load_by_helpers(flag, order, memory_scope_device);
}
void fence_by_helper(cl_mem_fence_flags flags, memory_order order, memory_scope scope) {
  atomic_work_item_fence(flags, order, scope);
}
kernel void hand_over_by_helpers(ARGUMENTS) {
  HAND_OVER(, store_by_helper(&flags[0], RELEASE), load_by_helper(&flags[0], memory_order_acquire), )
}
kernel void hand_over_by_helpers_relaxed_store(ARGUMENTS) {
  HAND_OVER(, store_by_helper(&flags[0], RELAXED), load_by_helper(&flags[0], memory_order_acquire), )
}
kernel void hand_over_by_helpers_relaxed_load(ARGUMENTS) {
  HAND_OVER(, store_by_helper(&flags[0], RELEASE), load_by_helper(&flags[0], memory_order_relaxed), )
}
kernel void hand_over_by_helpers_in_small_scope(ARGUMENTS) {
  HAND_OVER(, store_by_helper(&flags[0], memory_order_release, memory_scope_work_group),
            load_by_helper(&flags[0], memory_order_acquire), )
}
kernel void hand_over_by_fences_of_helpers(ARGUMENTS) {
  HAND_OVER(fence_by_helper(CLK_GLOBAL_MEM_FENCE, RELEASE), STORE(RELAXED), LOAD(RELAXED),
            fence_by_helper(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, ACQUIRE))
}
kernel void hand_over_by_fences_of_helpers_for_local_memory(ARGUMENTS) {
  HAND_OVER(fence_by_helper(CLK_LOCAL_MEM_FENCE, RELEASE), STORE(RELAXED), LOAD(RELAXED),
            fence_by_helper(CLK_GLOBAL_MEM_FENCE, ACQUIRE))
}
kernel void hand_over_by_fences_of_helpers_in_small_scope(ARGUMENTS) {
  HAND_OVER(fence_by_helper(CLK_GLOBAL_MEM_FENCE, RELEASE), STORE(RELAXED), LOAD(RELAXED),
            fence_by_helper(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_work_group))
}

// Nobody knows which one before the kernel runs.
#define FIRST_IF_NOTHING(one, other) (atomic_load_explicit(&flags[1], RELAXED) == 0 ? one : other)
kernel void hand_over_in_a_scope_of_a_variable(ARGUMENTS) {
  const memory_scope scope = FIRST_IF_NOTHING(memory_scope_device, memory_scope_work_group);
  HAND_OVER(, store_by_helper(&flags[0], memory_order_release, scope), load_by_helper(&flags[0], memory_order_acquire), )
}
kernel void hand_over_in_a_small_scope_of_a_variable(ARGUMENTS) {
  const memory_scope scope = FIRST_IF_NOTHING(memory_scope_work_group, memory_scope_device);
  HAND_OVER(, store_by_helper(&flags[0], memory_order_release, scope), load_by_helper(&flags[0], memory_order_acquire), )
}
kernel void hand_over_by_fences_of_a_variable(ARGUMENTS) {
  const cl_mem_fence_flags fence = FIRST_IF_NOTHING(CLK_GLOBAL_MEM_FENCE, CLK_LOCAL_MEM_FENCE);
  HAND_OVER(mem_fence(fence), STORE(RELAXED), LOAD(RELAXED), fence_by_helper(fence, ACQUIRE))
}
kernel void hand_over_by_fences_of_a_variable_for_local_memory(ARGUMENTS) {
  const cl_mem_fence_flags fence = FIRST_IF_NOTHING(CLK_LOCAL_MEM_FENCE, CLK_GLOBAL_MEM_FENCE);
  HAND_OVER(mem_fence(fence), STORE(RELAXED), LOAD(RELAXED), fence_by_helper(fence, ACQUIRE))
}
// The barrier is what releases and acquires.
void barrier_by_helper(memory_scope scope) { work_group_barrier(CLK_GLOBAL_MEM_FENCE, scope); }

#define HAND_OVER_BY_BARRIER(scope)                                                                                    \
  if (get_group_id(0) == 0) {                                                                                          \
    data[ITEM] = ITEM;                                                                                                 \
    barrier_by_helper(scope);                                                                                          \
    if (ITEM == 0)                                                                                                     \
      STORE(RELAXED);                                                                                                  \
  } else {                                                                                                             \
    if (ITEM == 0)                                                                                                     \
      while (LOAD(RELAXED) == 0)                                                                                       \
        ;                                                                                                              \
    barrier_by_helper(scope);                                                                                          \
    data[get_global_id(0)] = data[LAST - ITEM];                                                                        \
  }
kernel void hand_over_by_barrier_of_helper(ARGUMENTS) { HAND_OVER_BY_BARRIER(memory_scope_device) }
kernel void hand_over_by_barrier_of_helper_in_small_scope(ARGUMENTS) { HAND_OVER_BY_BARRIER(memory_scope_work_group) }

// ---- whose writes and reads are ordered

kernel void hand_over_before_the_others_have_written(ARGUMENTS) {
  if (get_group_id(0) == 0) {
    data[ITEM] = ITEM;
    if (ITEM == 0)
      STORE(RELEASE);
  } else {
    while (LOAD(ACQUIRE) == 0)
      ;
    data[get_global_id(0)] = data[LAST - ITEM];
  }
}
kernel void hand_over_each(ARGUMENTS) { // all work-items arrive themselves, all acquire themselves
  if (get_group_id(0) == 0) {
    data[ITEM] = ITEM;
    atomic_fetch_add_explicit(&flags[0], 1, RELEASE);
  } else {
    while (LOAD(ACQUIRE) < get_local_size(0))
      ;
    data[get_global_id(0)] = data[LAST - ITEM];
  }
}
kernel void old_hand_over(ARGUMENTS) { // in the manner of OpenCL 1.x
  volatile global uint *flag = (volatile global uint *)flags;
  HAND_OVER(mem_fence(CLK_GLOBAL_MEM_FENCE), *flag = 1, *flag, mem_fence(CLK_GLOBAL_MEM_FENCE))
}
kernel void old_hand_over_without_fences(ARGUMENTS) {
  volatile global uint *flag = (volatile global uint *)flags;
  HAND_OVER(, *flag = 1, *flag, )
}
// The loop ends by a plain value, which is read behind a wait for a flag.
#define HAND_OVER_IN_LOOP(store)                                                                   \
  if (ITEM == 0 && get_group_id(0) == 0) {                                                         \
    data[0] = 7;                                                                                   \
    store;                                                                                         \
  } else if (ITEM == 0) {                                                                          \
    int value;                                                                                     \
    do {                                                                                           \
      while (!LOAD(ACQUIRE))                                                                       \
        ;                                                                                          \
      value = data[0];                                                                             \
    } while (value != 7);                                                                          \
  }
kernel void hand_over_in_loop(ARGUMENTS) { HAND_OVER_IN_LOOP(STORE(RELEASE)) }
kernel void hand_over_in_loop_relaxed(ARGUMENTS) { HAND_OVER_IN_LOOP(STORE(RELAXED)) }
kernel void hand_over_by_flag_in_local_memory(ARGUMENTS) {
  local atomic_int flag;
  if (ITEM == 0)
    atomic_init(&flag, 0);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (ITEM == 1) {
    data[get_group_id(0)] = 1;
    atomic_store_explicit(&flag, 1, memory_order_release, memory_scope_work_group);
  }
  if (ITEM == 2) {
    while (!atomic_load_explicit(&flag, memory_order_acquire, memory_scope_work_group))
      ;
    data[get_global_size(0) / 2 + get_group_id(0)] = data[get_group_id(0)];
  }
}

// ---- what a store ends: group 0 releases, group 1 goes on with the flag, group 2 acquires what that has left there

#define SEQUENCE(go_on)                                                                                                \
  const size_t group = get_group_id(0);                                                                                \
  if (group == 0) {                                                                                                    \
    data[ITEM] = ITEM;                                                                                                 \
    barrier(CLK_GLOBAL_MEM_FENCE);                                                                                     \
    if (ITEM == 0)                                                                                                     \
      STORE(RELEASE);                                                                                                  \
  } else if (group == 1 && ITEM == 0) {                                                                                \
    while (LOAD(RELAXED) == 0)                                                                                         \
      ;                                                                                                                \
    go_on;                                                                                                             \
  } else if (group == 2) {                                                                                             \
    if (ITEM == 0) { /* it acquires the last value alone: the first one is released */                                 \
      while (LOAD(RELAXED) < 2)                                                                                        \
        ;                                                                                                              \
      while (LOAD(ACQUIRE) < 2)                                                                                        \
        ;                                                                                                              \
    }                                                                                                                  \
    barrier(CLK_GLOBAL_MEM_FENCE);                                                                                     \
    data[get_global_id(0)] = data[LAST - ITEM];                                                                        \
  }
kernel void sequence_of_updates(ARGUMENTS) { SEQUENCE(atomic_fetch_add_explicit(&flags[0], 1, RELAXED)) }
kernel void sequence_ended_by_store(ARGUMENTS) { SEQUENCE(atomic_store_explicit(&flags[0], 2, RELAXED)) }

// A work-item's own store goes on with what it has released before (API 3.3.4), but with no more.
#define GO_ON(written_later)                                                                                           \
  if (get_group_id(0) == 0) {                                                                                          \
    data[ITEM] = ITEM;                                                                                                 \
    barrier(CLK_GLOBAL_MEM_FENCE);                                                                                     \
    if (ITEM == 0) {                                                                                                   \
      STORE(RELEASE);                                                                                                  \
      written_later;                                                                                                   \
      atomic_store_explicit(&flags[0], 2, RELAXED);                                                                    \
    }                                                                                                                  \
  } else {                                                                                                             \
    if (ITEM == 0)                                                                                                     \
      while (LOAD(ACQUIRE) < 2)                                                                                        \
        ;                                                                                                              \
    barrier(CLK_GLOBAL_MEM_FENCE);                                                                                     \
    data[get_global_id(0)] = data[LAST - ITEM];                                                                        \
  }
kernel void sequence_of_own_stores(ARGUMENTS) { GO_ON(tmp[0] = 1) }
kernel void sequence_of_own_stores_without_what_is_written_later(ARGUMENTS) { GO_ON(data[5] = 1) }
