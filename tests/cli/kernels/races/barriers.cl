// Barriers of a work-group: their flags, what they do not order, and who has to get there.
#include "arguments.h"

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
kernel void global_mirror(ARGUMENTS) {
  data[get_global_id(0)] = ITEM;
  barrier(CLK_GLOBAL_MEM_FENCE);
  const int other = data[get_global_id(0) - ITEM + LAST - ITEM];
  barrier(CLK_GLOBAL_MEM_FENCE);
  data[get_global_id(0)] = other;
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

// ---- which of two readers a report names

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

// ---- who gets there

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

// A tile with one more element at each end. LLVM makes a switch of the two conditions.
#define LOAD_TILE(last)                                                                                                \
  local int tile[66];                                                                                                  \
  tile[ITEM + 1] = data[get_global_id(0)];                                                                             \
  if (ITEM == 0)                                                                                                       \
    tile[0] = 1;                                                                                                       \
  if (ITEM == 63)                                                                                                      \
    tile[last] = 2;
#define SUM_OF_NEIGHBORS data[get_global_id(0)] = tile[ITEM] + tile[ITEM + 1] + tile[ITEM + 2]
kernel void tile_with_ends(ARGUMENTS) {
  LOAD_TILE(65)
  barrier(CLK_LOCAL_MEM_FENCE);
  SUM_OF_NEIGHBORS;
}
kernel void tile_with_ends_without_barrier(ARGUMENTS) {
  LOAD_TILE(65)
  barrier(CLK_GLOBAL_MEM_FENCE);
  SUM_OF_NEIGHBORS;
}
kernel void tile_with_an_end_of_another(ARGUMENTS) {
  LOAD_TILE(63)
  barrier(CLK_LOCAL_MEM_FENCE);
  SUM_OF_NEIGHBORS;
}
