// Async copies of a work-group and the waits for them.
#include "arguments.h"

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
kernel void copy_target_written_meanwhile(ARGUMENTS) {
  BEGIN(tmp, OWN);
  tmp[ITEM] = ITEM;
  END;
}
kernel void copy_that_nobody_waits_for(ARGUMENTS) { BEGIN(OWN, tmp); }

// ---- copies and groups

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

// ---- so many that what is counted of them begins anew

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

// Nothing of these copies needs to be compared, only whether somebody waits for each.
#define ADD_UP atomic_fetch_add_explicit(&flags[0], tmp[LAST - ITEM], RELAXED)
kernel void copy_that_is_read(ARGUMENTS) {
  BEGIN(tmp, OWN);
  END;
  ADD_UP;
}
kernel void copy_that_is_never_read(ARGUMENTS) { BEGIN(tmp, OWN); }
kernel void copy_awaited_by_some_groups(ARGUMENTS) {
  BEGIN(tmp, OWN);
  if (get_group_id(0) == 1)
    return;
  END;
  ADD_UP;
}
kernel void copies_of_which_one_is_awaited(ARGUMENTS) {
  local int others[32];
  async_work_group_copy(others, OWN, 32, 0);
  BEGIN(tmp, OWN);
  END;
  ADD_UP;
}
