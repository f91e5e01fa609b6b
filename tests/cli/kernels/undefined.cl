// Pairs of a wrong and a right kernel. Each takes a buffer of ints of the global size, all 0; one of 16, all 0; one of 64
// that nobody has written; and as many local ints as a group has work-items.
#define ARGUMENTS global int *data, global int *few, global int *fresh, local int *tmp
#define ME get_global_id(0)
#define ITEM get_local_id(0)

// ---- private memory

kernel void branch_wrong(ARGUMENTS) {
  int x;
  if (few[0])
    x = 1;
  if (x > 2)
    data[ME] = 1;
}
kernel void branch(ARGUMENTS) {
  int x = 3;
  if (few[0])
    x = 1;
  if (x > 2)
    data[ME] = 1;
}
kernel void loop_wrong(ARGUMENTS) {
  int end;
  if (ME != 5)
    end = 3;
  for (int i = 0; i < end; ++i)
    data[ME] += 1;
}
kernel void choice_wrong(ARGUMENTS) {
  int x;
  if (few[1])
    x = 1;
  switch (x) {
  case 1:
    data[ME] = 2;
    break;
  case 2:
    data[ME] = 5;
    break;
  default:
    data[ME] = 7;
  }
}
kernel void index_wrong(ARGUMENTS) {
  int at;
  if (few[0])
    at = 1;
  data[ME] = few[at & 15];
}
kernel void table_wrong(ARGUMENTS) {
  int own[8];
  for (int i = 0; i < 7; ++i)
    own[i] = i;
  data[ME] = own[ME & 7] + 1;
}
kernel void table(ARGUMENTS) {
  int own[8];
  for (int i = 0; i < 8; ++i)
    own[i] = i;
  data[ME] = own[ME & 7] + 1;
}
// Each round has a new one.
kernel void round_wrong(ARGUMENTS) {
  int sum = 0;
  for (int i = 0; i < 4; ++i) {
    int last;
    if (i == 0)
      last = 7;
    sum += last;
  }
  data[ME] = sum;
}
kernel void through_function_wrong(ARGUMENTS);
void set_if(int *x, int condition) {
  if (condition)
    *x = 1;
}
kernel void through_function_wrong(ARGUMENTS) {
  int x;
  set_if(&x, few[0]);
  data[ME] = x * 2;
}
kernel void through_function(ARGUMENTS) {
  int x;
  set_if(&x, !few[0]);
  data[ME] = x * 2;
}
// Of a value that is computed in vain, and of one that is not stored.
kernel void in_vain(ARGUMENTS) {
  int x;
  if (ME & 1)
    x = 4;
  int y = x + 1;
  if (ME & 1)
    data[ME] = y;
}
// Copying is no fault.
struct Pair {
  char tag;
  int value;
};
kernel void padding(ARGUMENTS) {
  struct Pair own;
  own.tag = 1;
  own.value = ME;
  ((global struct Pair *)fresh)[ME & 7] = own;
  float3 three = (float3)(1, 2, 3) * 2.0f;
  ((global float3 *)(fresh + 32))[ME & 7] = three;
  int never;
  fresh[63] = never;
}
// Bits of one word, some of them written.
kernel void bits(ARGUMENTS) {
  uint own;
  own = (own & ~7u) | 3;
  if ((own & 7) == 3)
    data[ME] = (int)(own & 7) + 1;
}
kernel void bits_wrong(ARGUMENTS) {
  uint own;
  own = (own & ~7u) | 3;
  if ((own & 15) == 3)
    data[ME] = 1;
}
kernel void of_builtins_wrong(ARGUMENTS) {
  float x;
  if (few[0])
    x = 1.0f;
  data[ME] = (int)(sin(x) * 4.0f);
}
kernel void of_builtins(ARGUMENTS) {
  float x = few[0], whole, cosine;
  float part = fract(x + 0.25f, &whole), sine = sincos(x, &cosine);
  int power;
  float half_of = frexp(x + 8.0f, &power);
  data[ME] = (int)(part + whole + sine + cosine + half_of) + power;
}

// ---- local memory

kernel void local_wrong(ARGUMENTS) {
  if (ITEM < 10)
    tmp[ITEM] = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  data[ME] = tmp[ITEM] + 1;
}
kernel void local_right(ARGUMENTS) {
  tmp[ITEM] = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  data[ME] = tmp[get_local_size(0) - 1 - ITEM] + 1;
}
kernel void local_sum_wrong(ARGUMENTS) {
  local int own[64];
  if (ITEM != 63)
    own[ITEM] = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = 32; step; step /= 2) {
    if (ITEM < step)
      own[ITEM] += own[ITEM + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (ITEM == 0)
    data[get_group_id(0)] = own[0];
}
kernel void local_sum(ARGUMENTS) {
  local int own[64];
  own[ITEM] = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = 32; step; step /= 2) {
    if (ITEM < step)
      own[ITEM] += own[ITEM + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (ITEM == 0)
    data[get_group_id(0)] = own[0];
}
// The next group finds nothing of this one's.
kernel void first_group_wrong(ARGUMENTS) {
  if (get_group_id(0) == 0)
    tmp[ITEM] = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (tmp[ITEM] == 1)
    data[ME] = 1;
}
kernel void copied_wrong(ARGUMENTS) {
  event_t copied = async_work_group_copy(tmp, fresh, 32, 0);
  wait_group_events(1, &copied);
  if (ITEM < 32)
    data[ME] = tmp[ITEM] + 1;
}
kernel void copied(ARGUMENTS) {
  event_t copied = async_work_group_copy(tmp, few, 16, 0);
  wait_group_events(1, &copied);
  if (ITEM < 16)
    data[ME] = tmp[ITEM] + 1;
}
kernel void counted_wrong(ARGUMENTS) {
  local int count;
  atomic_inc(&count);
  barrier(CLK_LOCAL_MEM_FENCE);
  data[ME] = count;
}
kernel void counted(ARGUMENTS) {
  local int count;
  if (ITEM == 0)
    count = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_inc(&count);
  barrier(CLK_LOCAL_MEM_FENCE);
  data[ME] = count;
}

// ---- global memory

kernel void fresh_wrong(ARGUMENTS) { data[ME] = fresh[ME & 63] + 1; }
kernel void fresh_written(ARGUMENTS) {
  fresh[ME & 63] = 3;
  data[ME] = fresh[ME & 63] + 1;
}
kernel void fresh_copied(ARGUMENTS) { data[ME] = fresh[ME & 63]; }
kernel void fresh_counted_wrong(ARGUMENTS) { atomic_inc(&fresh[ME & 7]); }
kernel void fresh_vectors_wrong(ARGUMENTS) {
  int4 all = vload4(ME & 7, fresh);
  if (any(all > 3))
    data[ME] = 1;
}

// ---- collectives

kernel void voted_wrong(ARGUMENTS) {
  int x;
  if (ITEM != 3)
    x = 1;
  data[ME] = work_group_all(x);
}
kernel void voted(ARGUMENTS) {
  int x = ITEM != 3;
  data[ME] = work_group_all(x);
}
kernel void summed(ARGUMENTS) {
  if (work_group_reduce_add(few[0] + 1) == work_group_broadcast((int)ITEM, 3))
    data[ME] = work_group_scan_inclusive_add(1) + 2;
  data[ME] += sub_group_reduce_add(1) * 2;
}
kernel void summed_wrong(ARGUMENTS) {
  int x;
  if (ITEM != 3)
    x = 1;
  data[ME] = work_group_reduce_add(x);
}
