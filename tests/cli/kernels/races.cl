// Pairs of a wrong and a right kernel. Each takes a buffer of ints and one of flags, all 0; local size 64 of 256, except
// where the test says otherwise.
#define ARGUMENTS global int *data, global atomic_uint *flags, local int *tmp
#define ITEM get_local_id(0)
#define LAST (get_local_size(0) - 1)
#define ACQUIRE memory_order_acquire, memory_scope_device
#define RELEASE memory_order_release, memory_scope_device
#define RELAXED memory_order_relaxed, memory_scope_device

// ---- within a group

kernel void mirror_without_barrier(ARGUMENTS) {
  tmp[ITEM] = ITEM;
  data[get_global_id(0)] = tmp[LAST - ITEM];
}
kernel void mirror_with_wrong_flag(ARGUMENTS) {
  tmp[ITEM] = ITEM;
  barrier(CLK_GLOBAL_MEM_FENCE);
  data[get_global_id(0)] = tmp[LAST - ITEM];
}
kernel void mirror(ARGUMENTS) {
  tmp[ITEM] = ITEM;
  barrier(CLK_LOCAL_MEM_FENCE);
  data[get_global_id(0)] = tmp[LAST - ITEM];
}
kernel void global_mirror_with_wrong_flag(ARGUMENTS) {
  data[get_global_id(0)] = ITEM;
  barrier(CLK_LOCAL_MEM_FENCE);
  const int other = data[get_global_id(0) - ITEM + LAST - ITEM];
  barrier(CLK_GLOBAL_MEM_FENCE);
  data[get_global_id(0)] = other;
}
// Elements of a vector are words of their own.
kernel void elements_of_one_vector(ARGUMENTS) {
  global int2 *pairs = (global int2 *)data;
  if (ITEM & 1)
    pairs[get_global_id(0) / 2].x = 1;
  else
    pairs[get_global_id(0) / 2].y = 2;
}
// Lanes of one pointer are in both memories.
#define IN_BOTH(flags)                                                                                                 \
  const int me = get_global_id(0);                                                                                     \
  int *own = ITEM & 1 ? (int *)&tmp[ITEM] : (int *)&data[me];                                                          \
  *own = me;                                                                                                           \
  barrier(flags);                                                                                                      \
  int *other = ITEM & 1 ? (int *)&data[me ^ 1] : (int *)&tmp[ITEM ^ 1];                                                \
  const int seen = *other;                                                                                             \
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);                                                                 \
  data[me] = seen;
kernel void in_both_memories(ARGUMENTS) { IN_BOTH(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE) }
kernel void in_both_memories_with_one_flag(ARGUMENTS) { IN_BOTH(CLK_LOCAL_MEM_FENCE) }
kernel void global_mirror(ARGUMENTS) {
  data[get_global_id(0)] = ITEM;
  barrier(CLK_GLOBAL_MEM_FENCE);
  const int other = data[get_global_id(0) - ITEM + LAST - ITEM];
  barrier(CLK_GLOBAL_MEM_FENCE);
  data[get_global_id(0)] = other;
}
kernel void tree_that_reuses_too_early(ARGUMENTS) {
  for (int round = 0; round < 3; ++round) {
    tmp[ITEM] = ITEM + round;
    barrier(CLK_LOCAL_MEM_FENCE);
    data[get_global_id(0)] += tmp[LAST - ITEM];
  }
}
kernel void tree(ARGUMENTS) {
  for (int round = 0; round < 3; ++round) {
    tmp[ITEM] = ITEM + round;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = get_local_size(0) / 2; step > 0; step /= 2) {
      if (ITEM < step)
        tmp[ITEM] += tmp[ITEM + step];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    data[get_global_id(0)] += tmp[0];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
kernel void neighbouring_bytes(ARGUMENTS) { ((global char *)data)[get_global_id(0)] = 1; }
kernel void overlapping_words(ARGUMENTS) { ((global short *)data)[get_global_id(0) / 2] = get_global_id(0); }
kernel void same_value(ARGUMENTS) { data[0] = 7; }

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

// ---- between groups

kernel void histogram(ARGUMENTS) { atomic_inc(&data[get_global_id(0) % 7]); }
// Two work-items read a word, and one of them writes it: the report is to name the other one.
kernel void writes_what_it_read_first(ARGUMENTS) {
  const int me = get_global_id(0), own = data[me];
  const int other = data[get_global_id(0) / 3 * 3 + (me + 1) % 3];
  barrier(CLK_LOCAL_MEM_FENCE);
  data[me] = own + other;
}
kernel void writes_what_it_read_last(ARGUMENTS) {
  const int me = get_global_id(0);
  const int other = data[get_global_id(0) / 3 * 3 + (me + 1) % 3], own = data[me];
  barrier(CLK_LOCAL_MEM_FENCE);
  data[me] = own + other;
}
kernel void writes_what_another_wrote(ARGUMENTS) {
  tmp[ITEM] = ITEM;
  barrier(CLK_LOCAL_MEM_FENCE);
  const int own = tmp[ITEM], other = tmp[LAST - ITEM];
  barrier(CLK_GLOBAL_MEM_FENCE);
  tmp[LAST - ITEM] = own + other;
}
// A third one has written it before.
kernel void writes_what_a_third_one_wrote(ARGUMENTS) {
  tmp[data[ITEM] + ITEM] = ITEM;
  barrier(CLK_LOCAL_MEM_FENCE);
  const int own = tmp[(ITEM + 1) % 64], other = tmp[(ITEM + 2) % 64];
  barrier(CLK_GLOBAL_MEM_FENCE);
  tmp[(ITEM + 1) % 64] = own + other;
}
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
#define STORE(how) atomic_store_explicit(&flags[0], 1, how)
#define LOAD(how) atomic_load_explicit(&flags[0], how)
#define FENCE(order) atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, order, memory_scope_device)

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
// Scopes, orders and flags that a helper gets, or that a variable has.
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

// All groups meet: they count themselves in, and the last one opens for all.
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

// ---- async copies

#define BEGIN(to, from) event_t event = async_work_group_copy(to, from, get_local_size(0), 0)
#define END wait_group_events(1, &event)
#define OWN (data + get_group_id(0) * get_local_size(0))
kernel void copy_in(ARGUMENTS) {
  BEGIN(tmp, OWN);
  END;
  data[get_global_id(0)] = tmp[LAST - ITEM];
}
kernel void copy_in_without_wait(ARGUMENTS) {
  BEGIN(tmp, OWN);
  const int mine = tmp[LAST - ITEM];
  END;
  data[get_global_id(0)] = mine;
}
kernel void copy_in_with_barrier_only(ARGUMENTS) {
  BEGIN(tmp, OWN);
  barrier(CLK_LOCAL_MEM_FENCE);
  const int mine = tmp[LAST - ITEM];
  END;
  data[get_global_id(0)] = mine;
}
kernel void copy_source_written_meanwhile(ARGUMENTS) {
  BEGIN(tmp, OWN);
  data[get_global_id(0)] = ITEM;
  END;
}
kernel void copy_strided_without_wait(ARGUMENTS) {
  event_t event = async_work_group_strided_copy(tmp, OWN, get_local_size(0) / 2, 2, 0);
  const int mine = tmp[ITEM / 2];
  END;
  data[get_global_id(0)] = mine;
}
kernel void copy_strided_beside(ARGUMENTS) { // the words between are nobody's
  event_t event = async_work_group_strided_copy(tmp, OWN, get_local_size(0) / 2, 2, 0);
  if (ITEM & 1)
    data[get_global_id(0)] = ITEM;
  END;
}
#define TWICE(between)                                                                                                 \
  int sum = 0;                                                                                                         \
  for (int round = 0; round < 3; ++round) {                                                                            \
    BEGIN(tmp, OWN);                                                                                                   \
    END;                                                                                                               \
    sum += tmp[LAST - ITEM];                                                                                           \
    between;                                                                                                           \
  }                                                                                                                    \
  data[get_global_id(0)] = sum;
kernel void copy_buffer_reused(ARGUMENTS) { TWICE(barrier(CLK_LOCAL_MEM_FENCE)) }
kernel void copy_buffer_reused_too_early(ARGUMENTS) { TWICE() }
kernel void copy_out(ARGUMENTS) {
  tmp[ITEM] = ITEM;
  barrier(CLK_LOCAL_MEM_FENCE);
  BEGIN(OWN, tmp);
  END;
}
kernel void copy_out_before_others_have_written(ARGUMENTS) {
  tmp[ITEM] = ITEM;
  BEGIN(OWN, tmp);
  END;
}
kernel void copies_beside_each_other(ARGUMENTS) {
  const size_t half_size = get_local_size(0) / 2;
  event_t event = async_work_group_copy(tmp, OWN, half_size, 0);
  event = async_work_group_copy(tmp + half_size, OWN + half_size, half_size, event);
  END;
  data[get_global_id(0)] = tmp[LAST - ITEM];
}
kernel void copies_that_overlap(ARGUMENTS) {
  const size_t half_size = get_local_size(0) / 2;
  event_t event = async_work_group_copy(tmp, OWN, half_size + 1, 0);
  event = async_work_group_copy(tmp + half_size, OWN + half_size, half_size, event);
  END;
  data[get_global_id(0)] = tmp[LAST - ITEM];
}
// What a copy has written is handed over by whoever has waited for it.
#define HAND_OVER_COPY(before, after)                                                                                  \
  if (get_group_id(0) == 0) {                                                                                          \
    tmp[ITEM] = ITEM;                                                                                                  \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    BEGIN(OWN, tmp);                                                                                                   \
    before;                                                                                                            \
    if (ITEM == 0)                                                                                                     \
      STORE(RELEASE);                                                                                                  \
    after;                                                                                                             \
  } else {                                                                                                             \
    if (ITEM == 0)                                                                                                     \
      while (LOAD(ACQUIRE) == 0)                                                                                       \
        ;                                                                                                              \
    barrier(CLK_GLOBAL_MEM_FENCE);                                                                                     \
    data[get_global_id(0)] = data[LAST - ITEM];                                                                        \
  }
kernel void hand_over_copy(ARGUMENTS) { HAND_OVER_COPY(END, ) }
kernel void hand_over_copy_not_awaited(ARGUMENTS) { HAND_OVER_COPY(barrier(CLK_GLOBAL_MEM_FENCE), END) }
// Whoever has waited for the second copy hands over that one alone.
void hand_over_halves(ARGUMENTS, size_t half_size, size_t read) {
  if (get_group_id(0) == 0) {
    tmp[ITEM] = ITEM;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t first = async_work_group_copy(OWN, tmp, half_size, 0);
    event_t second = async_work_group_copy(OWN + half_size, tmp + half_size, half_size, 0);
    wait_group_events(1, &second);
    if (ITEM == 0)
      STORE(RELEASE);
    wait_group_events(1, &first);
  } else {
    if (ITEM == 0)
      while (LOAD(ACQUIRE) == 0)
        ;
    barrier(CLK_GLOBAL_MEM_FENCE);
    data[get_global_id(0)] = data[read];
  }
}
kernel void hand_over_second_copy(ARGUMENTS) {
  hand_over_halves(data, flags, tmp, get_local_size(0) / 2, get_local_size(0) / 2 + ITEM / 2);
}
kernel void hand_over_second_copy_read_first(ARGUMENTS) {
  hand_over_halves(data, flags, tmp, get_local_size(0) / 2, ITEM / 2);
}
kernel void copy_that_nobody_waits_for(ARGUMENTS) { BEGIN(OWN, tmp); }

// ---- barriers

kernel void barrier_of_whole_groups(ARGUMENTS) {
  if (get_group_id(0) & 1)
    return;
  tmp[ITEM] = ITEM;
  if (get_num_groups(0) > 1)
    barrier(CLK_LOCAL_MEM_FENCE);
  else
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  data[get_global_id(0)] = tmp[LAST - ITEM];
}
kernel void barrier_behind_guard_for_nobody(ARGUMENTS) {
  if (get_global_id(0) >= get_global_size(0))
    return;
  tmp[ITEM] = ITEM;
  barrier(CLK_LOCAL_MEM_FENCE);
  data[get_global_id(0)] = tmp[LAST - ITEM];
}
kernel void barrier_in_equal_rounds(ARGUMENTS) {
  for (int i = data[0] + 3; i > 0; --i)
    barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t i = ITEM; i < 3 * get_local_size(0) + ITEM; i += get_local_size(0))
    barrier(CLK_LOCAL_MEM_FENCE);
}
kernel void barrier_in_branch(ARGUMENTS) {
  if (ITEM < 10)
    barrier(CLK_LOCAL_MEM_FENCE);
}
kernel void barrier_behind_return(ARGUMENTS) {
  if (ITEM == 3)
    return;
  barrier(CLK_LOCAL_MEM_FENCE);
}
kernel void barrier_in_unequal_rounds(ARGUMENTS) {
  for (size_t i = 0; i < ITEM; ++i)
    barrier(CLK_LOCAL_MEM_FENCE);
}
kernel void barriers_in_switch(ARGUMENTS) {
  switch (ITEM & 1) {
  case 0:
    barrier(CLK_LOCAL_MEM_FENCE);
    break;
  case 1:
    barrier(CLK_LOCAL_MEM_FENCE);
    break;
  default:
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
  data[get_global_id(0)] = 1;
}
kernel void barriers_that_differ(ARGUMENTS) {
  if (ITEM & 1)
    barrier(CLK_LOCAL_MEM_FENCE);
  else
    barrier(CLK_GLOBAL_MEM_FENCE);
}
kernel void collective_in_branch(ARGUMENTS) {
  if (ITEM < 10)
    data[get_global_id(0)] = work_group_reduce_add((int)ITEM);
}

// ---- what hangs on the launch

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
// While somebody looks for deadlocks, what rounds of a wait leave behind is compared; that is nobody's access.
kernel void copy_in_rounds_that_wait(ARGUMENTS) {
  local int again;
  if (ITEM == 0)
    atomic_fetch_add_explicit(&flags[0], 1, RELEASE);
  tmp[ITEM] = ITEM;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (bool goes_on = true; goes_on;) {
    if (ITEM == 0)
      again = atomic_load_explicit(&flags[0], ACQUIRE) < get_num_groups(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    goes_on = again;
    event_t copied = async_work_group_copy(data + get_global_id(0) - ITEM, tmp, get_local_size(0), 0);
    wait_group_events(1, &copied);
    if (ITEM == 0)
      tmp[3] = tmp[5] = 5;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// ---- what is no barrier

kernel void mirror_with_no_flag(ARGUMENTS) {
  tmp[ITEM] = ITEM;
  barrier(0);
  data[get_global_id(0)] = tmp[LAST - ITEM];
}
kernel void mirror_with_collective_only(ARGUMENTS) {
  tmp[ITEM] = ITEM;
  const int sum = work_group_reduce_add((int)ITEM);
  data[get_global_id(0)] = tmp[LAST - ITEM] + sum;
}
kernel void lanes_pass_on_with_shuffle_only(ARGUMENTS) {
  int sum;
  PASS_ON(sum = sub_group_broadcast((int)ITEM, 0))
  data[get_global_id(0)] += sum;
}
kernel void groups_write_one_row(ARGUMENTS) { data[ITEM] = get_group_id(0); }
kernel void copy_target_written_meanwhile(ARGUMENTS) {
  BEGIN(tmp, OWN);
  tmp[ITEM] = ITEM;
  END;
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

// ---- variables of the program

global int of_the_program;

kernel void variables_of_the_program(ARGUMENTS) {
  static global int of_the_kernel;
  of_the_program = ITEM;
  of_the_kernel = ITEM;
}

// ---- what reports name

kernel void pointer_from_one_of_two(ARGUMENTS) {
  global int *all[4];
  for (int i = 0; i < 4; ++i)
    all[i] = i & 1 ? data : (global int *)flags;
  all[1 + get_group_id(0) / 2 * 2][ITEM] = get_global_id(0);
}
kernel void vectors_that_overlap(ARGUMENTS) { vstore4((int4)ITEM, 0, data + get_global_id(0) * 3 % 60); }
kernel void counted_by_relaxed_atomics(ARGUMENTS) {
  if (ITEM)
    return;
  data[get_group_id(0)] = 1;
  if (atomic_inc((volatile global int *)flags) == get_num_groups(0) - 1)
    for (size_t i = 0; i != get_num_groups(0); ++i)
      data[get_global_size(0) - 1] += data[i];
}
kernel void counted_with_fence_before_only(ARGUMENTS) {
  if (ITEM)
    return;
  data[get_group_id(0)] = 1;
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  if (atomic_inc((volatile global int *)flags) == get_num_groups(0) - 1)
    for (size_t i = 0; i != get_num_groups(0); ++i)
      data[get_global_size(0) - 1] += data[i];
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

// ---- so many that what is counted of them begins anew

kernel void mirror_behind_many_global_barriers(ARGUMENTS) {
  tmp[ITEM] = ITEM;
  for (int i = 0; i < 1048577; ++i)
    barrier(CLK_GLOBAL_MEM_FENCE);
  data[get_global_id(0)] = tmp[LAST - ITEM];
}
kernel void mirror_behind_many_barriers(ARGUMENTS) {
  tmp[ITEM] = ITEM;
  for (int i = 0; i < 1048577; ++i)
    barrier(CLK_LOCAL_MEM_FENCE);
  data[get_global_id(0)] = tmp[LAST - ITEM];
}
#define MANY_COPIES(how_many)                                                                                          \
  event_t copied = 0;                                                                                                  \
  for (int i = 0; i < how_many; ++i) {                                                                                 \
    copied = async_work_group_copy(tmp, data + get_group_id(0) * get_local_size(0), get_local_size(0), 0);             \
    if (i != how_many - 1)                                                                                             \
      wait_group_events(1, &copied);                                                                                   \
  }
kernel void read_behind_many_copies(ARGUMENTS) {
  MANY_COPIES(256)
  wait_group_events(1, &copied);
  const int mine = tmp[LAST - ITEM];
  data[get_global_id(0)] = mine;
}
kernel void read_behind_many_copies_without_wait(ARGUMENTS) {
  MANY_COPIES(256)
  const int mine = tmp[LAST - ITEM];
  wait_group_events(1, &copied);
  data[get_global_id(0)] = mine;
}
#define COPIES_AROUND_MANY_WAITS(place)                                                                                \
  global int *from = data + get_group_id(0) * get_local_size(0);                                                       \
  event_t first = async_work_group_copy(tmp, from, 32, 0);                                                             \
  for (int i = 0; i < 16; ++i) {                                                                                       \
    event_t copied = async_work_group_copy(tmp + 48, from, 16, 0);                                                     \
    wait_group_events(1, &copied);                                                                                     \
  }                                                                                                                    \
  event_t second = async_work_group_copy(tmp + place, from, 16, 0);                                                    \
  wait_group_events(1, &first);                                                                                        \
  wait_group_events(1, &second);
kernel void copies_around_many_waits(ARGUMENTS) { COPIES_AROUND_MANY_WAITS(32) }
kernel void copies_that_overlap_around_many_waits(ARGUMENTS) { COPIES_AROUND_MANY_WAITS(16) }

// ---- constant memory, which is given as another argument, too, that the launch writes

#define CONSTANT_ARGUMENTS global int *data, constant int *table, local int *tmp
kernel void mirror_of_constant_memory(CONSTANT_ARGUMENTS) {
  data[get_global_id(0)] = table[get_global_size(0) - 1 - get_global_id(0)];
}
kernel void half_of_constant_memory(CONSTANT_ARGUMENTS) {
  const size_t half_size = get_global_size(0) / 2;
  if (get_global_id(0) < half_size)
    data[get_global_id(0)] = table[half_size + (get_global_id(0) + 1) % half_size];
}
kernel void sum_of_constant_memory(CONSTANT_ARGUMENTS) {
  data[get_global_id(0)] = table[get_global_id(0)] + 1;
}
