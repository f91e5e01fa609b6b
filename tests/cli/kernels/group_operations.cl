// Pairs for what work-items of a group, or a sub-group, call together: arguments that must be the same for all, and
// events of async copies. Each takes a buffer of ints, all 0, and one of flags; local size 64 of 256.
#define ARGUMENTS global int *data, global uint *flags, local int *tmp
#define ITEM get_local_id(0)
#define LAST (get_local_size(0) - 1)
#define ODD (ITEM & 1)
#define OTHER_SUB_GROUP (ITEM >= get_local_size(0) / 2)
// The same for all, which nobody knows before the kernel runs.
#define NOTHING (data[get_global_id(0)] & 0x10000)
#define OWN (data + get_group_id(0) * get_local_size(0))
#define HALF (get_local_size(0) / 2)

// ---- arguments of barriers

kernel void flags_same(ARGUMENTS) {
  tmp[ITEM] = ITEM;
  barrier(NOTHING ? CLK_GLOBAL_MEM_FENCE : CLK_LOCAL_MEM_FENCE);
  data[get_global_id(0)] = tmp[LAST - ITEM];
}
kernel void flags_differ(ARGUMENTS) {
  tmp[ITEM] = ITEM;
  barrier(ODD ? CLK_GLOBAL_MEM_FENCE : CLK_LOCAL_MEM_FENCE);
}
kernel void flags_differ_by_sub_group(ARGUMENTS) {
  tmp[ITEM] = ITEM;
  barrier(OTHER_SUB_GROUP ? CLK_GLOBAL_MEM_FENCE : CLK_LOCAL_MEM_FENCE);
}
kernel void scope_same(ARGUMENTS) {
  work_group_barrier(CLK_LOCAL_MEM_FENCE, NOTHING ? memory_scope_device : memory_scope_work_group);
}
kernel void scope_differs(ARGUMENTS) {
  work_group_barrier(CLK_LOCAL_MEM_FENCE, ODD ? memory_scope_device : memory_scope_work_group);
}

// ---- of collectives

kernel void broadcast_same(ARGUMENTS) {
  data[get_global_id(0)] = work_group_broadcast((int)ITEM, NOTHING + 3);
}
kernel void broadcast_differs(ARGUMENTS) {
  data[get_global_id(0)] = work_group_broadcast((int)ITEM, ITEM);
}
kernel void broadcast_differs_by_sub_group(ARGUMENTS) {
  data[get_global_id(0)] = work_group_broadcast((int)ITEM, OTHER_SUB_GROUP ? 1 : 2);
}
kernel void broadcast_in_rows_differs(ARGUMENTS) {
  data[get_global_id(0)] = work_group_broadcast((int)ITEM, 0, ODD);
}
// Another one each time, but the same for all: no barrier is between that counts.
kernel void broadcast_in_rounds(ARGUMENTS) {
  int sum = 0;
  for (int i = 0; i < 5; ++i)
    sum += work_group_broadcast((int)ITEM, NOTHING + i);
  data[get_global_id(0)] = sum;
}
kernel void reduce_in_equal_rounds(ARGUMENTS) {
  int sum = 0;
  for (int i = NOTHING; i < 5; ++i)
    sum += work_group_reduce_add(i);
  data[get_global_id(0)] = sum;
}
kernel void barrier_without_flags_in_equal_rounds(ARGUMENTS) {
  for (int i = NOTHING; i < 5; ++i)
    barrier(0);
}
kernel void reduces_that_differ(ARGUMENTS) {
  int sum = 0;
  if (ODD)
    sum = work_group_reduce_add((int)ITEM);
  else
    sum = work_group_reduce_max((int)ITEM);
  data[get_global_id(0)] = sum;
}

// Which way is taken is known to nobody before the kernel runs. Work-items of one group part, unless WAY is the same for all.
#define WAYS(way)                                                                                                      \
  int sum = 0;                                                                                                         \
  switch (way) {                                                                                                       \
  case 3:                                                                                                              \
    sum = work_group_reduce_add((int)ITEM);                                                                            \
    break;                                                                                                             \
  case 5:                                                                                                              \
    sum = work_group_reduce_max((int)ITEM);                                                                            \
    break;                                                                                                             \
  case 9:                                                                                                              \
    sum = work_group_reduce_min((int)ITEM);                                                                            \
    break;                                                                                                             \
  default:                                                                                                             \
    return;                                                                                                            \
  }                                                                                                                    \
  data[get_global_id(0)] = sum;
kernel void ways_of_all(ARGUMENTS) { WAYS(NOTHING + 5) }
kernel void way_to_the_return(ARGUMENTS) { WAYS(NOTHING + 6) }
kernel void ways_that_differ(ARGUMENTS) { WAYS(NOTHING + (ODD ? 3 : 5)) }
kernel void ways_that_differ_or_return(ARGUMENTS) { WAYS(NOTHING + (ODD ? 7 : 5)) }
kernel void ways_that_differ_by_sub_group(ARGUMENTS) { WAYS(NOTHING + (OTHER_SUB_GROUP ? 9 : 3)) }
// The same barrier on two ways of three, and another one.
#define SHARED_WAYS(way)                                                                                               \
  switch (way) {                                                                                                       \
  case 2:                                                                                                              \
    tmp[ITEM] = 5;                                                                                                     \
    goto both;                                                                                                         \
  case 4:                                                                                                              \
    tmp[ITEM] = 7;                                                                                                     \
  both:                                                                                                                \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    break;                                                                                                             \
  case 6:                                                                                                              \
    data[get_global_id(0)] = 3;                                                                                        \
  default:                                                                                                             \
    tmp[ITEM] = 9;                                                                                                     \
    barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);                                                               \
  }                                                                                                                    \
  data[get_global_id(0)] = tmp[LAST - ITEM];
kernel void one_barrier_on_two_ways(ARGUMENTS) { SHARED_WAYS(NOTHING + (ODD ? 2 : 4)) }
kernel void another_barrier_on_two_ways(ARGUMENTS) { SHARED_WAYS(NOTHING + (ODD ? 6 : 8)) }
kernel void one_barrier_or_another_on_two_ways(ARGUMENTS) { SHARED_WAYS(NOTHING + (ODD ? 4 : 6)) }
kernel void one_barrier_or_the_default(ARGUMENTS) { SHARED_WAYS(NOTHING + (ODD ? 2 : 8)) }

// ---- of sub-groups

kernel void sub_group_broadcast_same(ARGUMENTS) {
  data[get_global_id(0)] = sub_group_broadcast((int)ITEM, NOTHING + get_sub_group_id() % 2);
}
kernel void sub_group_broadcast_differs(ARGUMENTS) {
  data[get_global_id(0)] = sub_group_broadcast((int)ITEM, ODD);
}
kernel void sub_group_non_uniform_broadcast_differs(ARGUMENTS) {
  data[get_global_id(0)] = sub_group_non_uniform_broadcast((int)ITEM, ODD);
}
kernel void sub_group_rotate_differs(ARGUMENTS) {
  data[get_global_id(0)] = sub_group_rotate((int)ITEM, ODD);
}
kernel void sub_group_inverse_ballot_differs(ARGUMENTS) {
  data[get_global_id(0)] = sub_group_inverse_ballot((uint4)(ODD, 0, 0, 0));
}
kernel void sub_group_barrier_differs(ARGUMENTS) {
  sub_group_barrier(ODD ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE);
}
kernel void sub_group_barrier_in_branch(ARGUMENTS) {
  if (ODD)
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
}
kernel void sub_group_barrier_behind_return(ARGUMENTS) {
  if (data[get_global_id(0)] + ITEM == 3)
    return;
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);
  data[get_global_id(0)] = 1;
}
kernel void sub_group_barrier_of_some_sub_groups(ARGUMENTS) {
  if (get_sub_group_id() & 1)
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = 0; i < get_sub_group_id(); ++i)
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
}
kernel void sub_group_shuffle_differs(ARGUMENTS) { // as it may
  data[get_global_id(0)] = sub_group_shuffle((int)ITEM, get_sub_group_local_id() ^ 1);
}

// ---- of async copies

#define END wait_group_events(1, &event)
kernel void copy_same(ARGUMENTS) {
  event_t event =
      async_work_group_strided_copy(tmp + NOTHING, OWN + NOTHING, HALF + NOTHING, 2 + NOTHING, 0);
  END;
  data[get_global_id(0)] = tmp[(LAST - ITEM) / 2];
}
kernel void copy_to_differs(ARGUMENTS) {
  event_t event = async_work_group_copy(tmp + ODD, OWN, HALF, 0);
  END;
}
kernel void copy_from_differs(ARGUMENTS) {
  event_t event = async_work_group_copy(tmp, OWN + OTHER_SUB_GROUP, HALF, 0);
  END;
}
kernel void copy_count_differs(ARGUMENTS) {
  event_t event = async_work_group_copy(tmp, OWN, HALF + ODD, 0);
  END;
}
kernel void copy_stride_differs(ARGUMENTS) {
  event_t event = async_work_group_strided_copy(tmp, OWN, HALF / 2, 1 + ODD, 0);
  END;
}
kernel void copy_lines_differ(ARGUMENTS) {
  event_t event = async_work_group_copy_2D2D(tmp, 0, OWN, 0, 4, 3, 1 + ODD, 4, 4, 0);
  END;
}
kernel void copy_event_differs(ARGUMENTS) {
  event_t first = async_work_group_copy(tmp, OWN, HALF, 0);
  event_t event = 0;
  if (ODD)
    event = first;
  event = async_work_group_copy(tmp + HALF, OWN + HALF, HALF, event);
  wait_group_events(1, &first);
  END;
}
kernel void awaited_event_differs(ARGUMENTS) {
  event_t events[2];
  events[0] = async_work_group_copy(tmp, OWN, HALF, 0);
  events[1] = async_work_group_copy(tmp + HALF, OWN + HALF, HALF, 0);
  wait_group_events(1, &events[ODD]);
  wait_group_events(2, events);
}
kernel void awaited_number_differs(ARGUMENTS) {
  event_t events[2];
  events[0] = async_work_group_copy(tmp, OWN, HALF, 0);
  events[1] = async_work_group_copy(tmp + HALF, OWN + HALF, HALF, 0);
  wait_group_events(1 + ODD, events);
  wait_group_events(2, events);
}

// ---- which event

#define TWO                                                                                        \
  event_t first = async_work_group_copy(tmp, OWN, HALF, 0);                                        \
  event_t second = async_work_group_copy(tmp + HALF, OWN + HALF, HALF, 0);
kernel void each_event_in_turn(ARGUMENTS) {
  TWO;
  wait_group_events(1, &first);
  int sum = tmp[ITEM / 2];
  wait_group_events(1, &second);
  data[get_global_id(0)] = sum + tmp[HALF + ITEM / 2];
}
kernel void events_in_a_list(ARGUMENTS) {
  event_t events[2];
  events[0] = async_work_group_copy(tmp, OWN, HALF, 0);
  events[1] = async_work_group_copy(tmp + HALF, OWN + HALF, HALF, 0);
  wait_group_events(2, events);
  data[get_global_id(0)] = tmp[LAST - ITEM];
}
kernel void events_in_a_list_of_unknown_length(ARGUMENTS) {
  event_t events[4];
  const int many = 4 + NOTHING;
  for (int i = 0; i < many; ++i)
    events[i] = async_work_group_copy(tmp + i * (HALF / 2), OWN + i * (HALF / 2), HALF / 2, 0);
  wait_group_events(many, events);
  data[get_global_id(0)] = tmp[LAST - ITEM];
}
kernel void event_of_all(ARGUMENTS) {
  event_t event = 0;
  for (int i = 0; i < 4; ++i)
    event = async_work_group_copy(tmp + i * (HALF / 2), OWN + i * (HALF / 2), HALF / 2, event);
  END;
  data[get_global_id(0)] = tmp[LAST - ITEM];
}
kernel void
events_of_rounds(ARGUMENTS) { // the next round's copy is under way while this one's is used
  event_t events[2];
  int sum = 0;
  events[0] = async_work_group_copy(tmp, OWN, HALF, 0);
  for (int i = 0; i < 6; ++i) {
    const int next = (i + 1) & 1;
    if (i < 5)
      events[next] = async_work_group_copy(tmp + next * HALF, OWN, HALF, 0);
    wait_group_events(1, &events[i & 1]);
    sum += tmp[(i & 1) * HALF + ITEM / 2];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  data[get_global_id(0)] = sum;
}
kernel void other_event(ARGUMENTS) {
  TWO;
  wait_group_events(1, &first);
  int sum = tmp[HALF + ITEM / 2];
  wait_group_events(1, &second);
  data[get_global_id(0)] = sum;
}
kernel void other_event_of_rounds(ARGUMENTS) {
  event_t events[2];
  int sum = 0;
  events[0] = async_work_group_copy(tmp, OWN, HALF, 0);
  for (int i = 0; i < 6; ++i) {
    const int next = (i + 1) & 1;
    if (i < 5)
      events[next] = async_work_group_copy(tmp + next * HALF, OWN, HALF, 0);
    wait_group_events(1, &events[next]);
    sum += tmp[(i & 1) * HALF + ITEM / 2];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  data[get_global_id(0)] = sum;
}
kernel void last_event_of_rounds(ARGUMENTS) {
  event_t event;
  for (int i = 0; i < 4; ++i)
    event = async_work_group_copy(tmp + i * (HALF / 2), OWN + i * (HALF / 2), HALF / 2, 0);
  END;
  data[get_global_id(0)] = tmp[LAST - ITEM];
}
kernel void no_event(ARGUMENTS) {
  event_t event = async_work_group_copy(tmp, OWN, HALF, 0);
  wait_group_events(NOTHING, &event);
  const int mine = tmp[ITEM / 2];
  END;
  data[get_global_id(0)] = mine;
}
kernel void one_event_twice(ARGUMENTS) {
  TWO;
  wait_group_events(1, &first);
  wait_group_events(1, &first);
}
kernel void source_of_other_event(ARGUMENTS) {
  TWO;
  wait_group_events(1, &second);
  if (ITEM < HALF)
    OWN[ITEM] = ITEM;
  wait_group_events(1, &first);
}
