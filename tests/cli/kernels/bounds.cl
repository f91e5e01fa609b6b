// Pairs of a wrong and a right kernel. Each takes a buffer of ints of the global size, another one of 16, all 0, and as
// many local ints as a group has work-items.
#define ARGUMENTS global int *data, global int *few, local int *tmp
#define ME get_global_id(0)
#define ITEM get_local_id(0)
#define SIZE get_global_size(0)

constant int table[4] = {1, 2, 3, 4};

// ---- global memory

kernel void neighbor_beyond(ARGUMENTS) { data[ME + 1] = 1; }
kernel void neighbor(ARGUMENTS) {
  if (ME + 1 < SIZE)
    data[ME + 1] = 1;
}
kernel void before(ARGUMENTS) {
  if (few[(int)(ME % 16) - 1])
    data[ME] = 1;
}
kernel void gathered_beyond(ARGUMENTS) { data[ME] = few[ME / 2] + 7; }
kernel void gathered(ARGUMENTS) { data[ME] = few[ME % 16] + 7; }
kernel void loop_beyond(ARGUMENTS) {
  for (int i = 0; i <= 16; ++i)
    data[ME] += few[i];
}
kernel void loop(ARGUMENTS) {
  for (int i = 0; i < 16; ++i)
    data[ME] += few[i];
}
kernel void atomic_beyond(ARGUMENTS) { atomic_add(few + ME, 1); }
kernel void atomic(ARGUMENTS) { atomic_add(few + ME % 16, 1); }
kernel void vectors_beyond(ARGUMENTS) { vstore4((int4)(1), 0, data + ME); }
kernel void vectors(ARGUMENTS) { vstore4((int4)(1), ME / 4, data); }
kernel void swap_beyond(ARGUMENTS) {
  while (atomic_cmpxchg(few + 16, 0, 1))
    ;
}
kernel void product_beyond(ARGUMENTS) { // the loop is one update
  int seen = few[16], expected;
  do {
    expected = seen;
    seen = atomic_cmpxchg(few + 16, expected, expected * (int)(ME + 1));
  } while (seen != expected);
}
kernel void pointer_that_moves_beyond(ARGUMENTS) {
  global int *end = few + 16;
  for (global int *p = few; p <= end; ++p)
    data[ME] += *p;
}

// ---- local memory

kernel void local_beyond(ARGUMENTS) {
  tmp[ITEM + 1] = ME;
  barrier(CLK_LOCAL_MEM_FENCE);
  data[ME] = tmp[ITEM];
}
kernel void local_right(ARGUMENTS) {
  tmp[ITEM] = ME;
  barrier(CLK_LOCAL_MEM_FENCE);
  data[ME] = tmp[ITEM];
}
kernel void local_variable_beyond(ARGUMENTS) {
  local int own[63];
  own[ITEM] = ME;
  barrier(CLK_LOCAL_MEM_FENCE);
  data[ME] = own[0];
}
kernel void local_variable(ARGUMENTS) {
  local int own[64];
  own[ITEM] = ME;
  barrier(CLK_LOCAL_MEM_FENCE);
  data[ME] = own[0];
}

// ---- what each work-item has for itself, and tables

kernel void private_beyond(ARGUMENTS) {
  int own[8];
  for (int i = 0; i < 8; ++i)
    own[i] = i;
  data[ME] = own[ME % 9];
}
kernel void private_right(ARGUMENTS) {
  int own[8];
  for (int i = 0; i < 8; ++i)
    own[i] = i;
  data[ME] = own[ME % 8];
}
kernel void private_loop_beyond(ARGUMENTS) {
  int own[8];
  for (int i = 0; i <= 8; ++i)
    own[i] = few[i];
  data[ME] = own[ME % 8];
}
kernel void table_beyond(ARGUMENTS) { data[ME] = table[ME % 5]; }
kernel void table_right(ARGUMENTS) { data[ME] = table[ME % 4]; }

// ---- pointers that come from several of these

#define PING_PONG(size)                                                                                                \
  local int a[64], b[size];                                                                                            \
  local int *from = a, *to = b;                                                                                        \
  from[ITEM] = ME;                                                                                                     \
  barrier(CLK_LOCAL_MEM_FENCE);                                                                                        \
  for (int i = 1; i < 8; i *= 2) {                                                                                     \
    to[ITEM] = from[ITEM] + (ITEM >= i ? from[ITEM - i] : 0);                                                          \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    local int *other = from;                                                                                           \
    from = to;                                                                                                         \
    to = other;                                                                                                        \
  }                                                                                                                    \
  data[ME] = from[ITEM]
kernel void ping_pong(ARGUMENTS) { PING_PONG(64); }
kernel void ping_pong_beyond(ARGUMENTS) { PING_PONG(63); }
kernel void ping_pong_with_argument(ARGUMENTS) {
  local int own[64];
  local int *from = tmp, *to = own;
  for (int i = 0; i < few[0] + 2; ++i) {
    to[ITEM] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    local int *other = from;
    from = to;
    to = other;
  }
  data[ME] = from[ITEM];
}
kernel void ping_pong_with_argument_beyond(ARGUMENTS) {
  local int own[65];
  local int *from = own, *to = tmp;
  for (int i = 0; i < few[0] + 2; ++i) {
    to[ITEM + 1] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    local int *other = from;
    from = to;
    to = other;
  }
  data[ME] = own[ITEM];
}
kernel void one_of_two_arguments(ARGUMENTS) {
  global int *from = ME < 16 ? few : data;
  data[ME] = from[ME] + 1;
}
kernel void one_of_two_arguments_beyond(ARGUMENTS) {
  global int *from = ME < 17 ? few : data;
  data[ME] = from[ME] + 1;
}
kernel void one_of_two_tables(ARGUMENTS) {
  int own[8], other[4];
  for (int i = 0; i < 8; ++i)
    own[i] = other[i & 3] = few[i];
  int *from = ME & 1 ? own : other;
  from[ME & 3] = 7;
  data[ME] = own[ME & 7] + other[ME & 3];
}
kernel void one_of_two_tables_beyond(ARGUMENTS) {
  int own[8], other[4];
  for (int i = 0; i < 8; ++i)
    own[i] = other[i & 3] = few[i];
  int *from = ME % 32 == 30 ? other : own;
  from[ME & 7] = 7;
  data[ME] = own[ME & 7] + other[ME & 3];
}
#if __OPENCL_C_VERSION__ >= 200
kernel void private_or_local(ARGUMENTS) {
  int own[4] = {1, 2, 3, few[0]};
  tmp[ITEM] = ME;
  barrier(CLK_LOCAL_MEM_FENCE);
  int *from = tmp;
  if (ME & 1)
    from = own;
  data[ME] = from[ME & 3];
}
kernel void private_or_local_beyond(ARGUMENTS) {
  int own[4] = {1, 2, 3, few[0]};
  tmp[ITEM] = ME;
  barrier(CLK_LOCAL_MEM_FENCE);
  int *from = tmp;
  if (ME == 13)
    from = own;
  data[ME] = from[ME & 7];
}
#endif

// ---- copies of a group

kernel void copied_beyond(ARGUMENTS) {
  event_t copied = async_work_group_copy(tmp, few, get_local_size(0), 0);
  wait_group_events(1, &copied);
  data[ME] = 7;
}
kernel void copied(ARGUMENTS) {
  event_t copied = async_work_group_copy(tmp, few, 16, 0);
  wait_group_events(1, &copied);
  data[ME] = 7;
}

// ---- so far away that nothing lies there

#define FAR ((size_t)1 << 36)
kernel void far_before(ARGUMENTS) {
  few[ME % 16] = 3;
  data[ME] = *(few - FAR - ME) + few[ME % 16] + 4;
}
kernel void far_beyond(ARGUMENTS) {
  data[ME] = 7;
  few[FAR + ME] = 7;
}
kernel void far_beyond_atomically(ARGUMENTS) {
  data[ME] = 7;
  atomic_inc(few + FAR + ME);
}
kernel void far_beyond_local(ARGUMENTS) {
  tmp[get_local_id(0)] = 3;
  data[ME] = tmp[FAR + ME] + tmp[get_local_id(0)] + 4;
}
kernel void far_copied(ARGUMENTS) {
  event_t copied = async_work_group_copy(tmp, few + FAR, get_local_size(0), 0);
  wait_group_events(1, &copied);
  data[ME] = 7;
}

// Writes all but the last element of what it was given.
kernel void one_too_many(global int *data) {
  data[ME] = ME + 1;
  if (ME == 0)
    data[SIZE] = 5;
}
