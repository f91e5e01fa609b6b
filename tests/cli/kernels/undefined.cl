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

// ---- what only moves

// One of a group knows it, and tells the others.
kernel void told_to_all(ARGUMENTS) {
  int x;
  float y;
  ulong z;
  if (ITEM == 3) {
    x = 1;
    y = 2.0f;
    z = 3;
  }
  x = work_group_broadcast(x, 3);
  if (x > 0)
    data[ME] = x + (int)work_group_broadcast(y, 3) + (int)work_group_broadcast(z, 3);
}
kernel void told_to_all_wrong(ARGUMENTS) {
  int x;
  if (ITEM != 3)
    x = 1;
  x = work_group_broadcast(x, 3);
  if (x > 0)
    data[ME] = x;
}
kernel void told_to_all_computed_wrong(ARGUMENTS) {
  float x;
  if (ITEM != 3)
    x = 1.0f;
  data[ME] = work_group_broadcast(x * 2, 3) > 1 ? 1 : 0;
}
kernel void told_in_vain(ARGUMENTS) {
  int x;
  if (ITEM != 3)
    x = 1;
  fresh[ME & 63] = work_group_broadcast(x, 3);
}
kernel void told_who_wrong(ARGUMENTS) {
  int who;
  if (few[0])
    who = 1;
  data[ME] = work_group_broadcast((int)ITEM, who);
}
kernel void told_to_sub_group(ARGUMENTS) {
  int x;
  if (get_sub_group_local_id() == 0)
    x = 1;
  x = sub_group_broadcast(x, 0);
  if (x > 0)
    data[ME] = x;
}
kernel void told_to_sub_group_wrong(ARGUMENTS) {
  int x;
  if (get_sub_group_local_id() != 0)
    x = 1;
  x = sub_group_broadcast(x, 0);
  if (x > 0)
    data[ME] = x;
}
kernel void shuffled(ARGUMENTS) { // each takes from one that has written it
  int x;
  if (ITEM & 1)
    x = 1;
  x = sub_group_shuffle(x, get_sub_group_local_id() | 1);
  if (x > 0)
    data[ME] = x + 1;
}
kernel void shuffled_wrong(ARGUMENTS) {
  int x;
  if (ITEM & 1)
    x = 1;
  data[ME] = sub_group_shuffle_xor(x, 1) + 1;
}
kernel void shuffled_computed_wrong(ARGUMENTS) {
  int x;
  if (ITEM & 1)
    x = 1;
  data[ME] = sub_group_shuffle_xor(x + 1, 1);
}
kernel void shuffled_in_vain(ARGUMENTS) {
  int x;
  if (ITEM & 1)
    x = 1;
  fresh[ME & 63] = sub_group_shuffle_xor(x, 1);
}
kernel void shuffled_from_wrong(ARGUMENTS) {
  uint from;
  if (few[0])
    from = 1;
  if (sub_group_shuffle((int)ITEM, from & 1) > 2)
    data[ME] = 1;
}

// ---- atomics

kernel void loaded(ARGUMENTS) {
  atomic_store_explicit((global atomic_int *)&fresh[ME & 63], 3, memory_order_relaxed, memory_scope_device);
  if (atomic_load_explicit((global atomic_int *)&fresh[ME & 63], memory_order_relaxed, memory_scope_device) == 3)
    data[ME] = 1;
}
kernel void loaded_wrong(ARGUMENTS) {
  if (atomic_load_explicit((global atomic_int *)&fresh[ME & 63], memory_order_relaxed, memory_scope_device) == 3)
    data[ME] = 1;
}
kernel void loaded_volatile_wrong(ARGUMENTS) {
  if (*(volatile global int *)&fresh[ME & 63] == 3)
    data[ME] = 1;
}
kernel void exchanged(ARGUMENTS) { // what comes out is only moved
  few[ME & 15] = atomic_xchg(&fresh[ME & 63], 5);
}
kernel void exchanged_wrong(ARGUMENTS) { data[ME] = atomic_xchg(&fresh[ME & 63], 5) + 1; }
kernel void swapped(ARGUMENTS) {
  atomic_cmpxchg(&few[ME & 15], 0, 7);
  if (atomic_cmpxchg(&few[ME & 15], 7, 9) > 0)
    data[ME] = 1;
}
kernel void swapped_wrong(ARGUMENTS) {
  if (atomic_cmpxchg(&fresh[ME & 63], 0, 7) == 0)
    data[ME] = 1;
}
kernel void swapped_in_local_wrong(ARGUMENTS) {
  local int owner;
  if (atomic_cmpxchg(&owner, 0, 1) == 0)
    data[ME] = 1;
}
// A loop that swaps is an update, which is reported if the memory or the operand is undefined.
static void multiply(volatile global int *p, int by) {
  int old, assumed = *p;
  do {
    old = assumed;
    assumed = atomic_cmpxchg(p, old, old * by);
  } while (assumed != old);
}
kernel void multiplied(ARGUMENTS) {
  int fresh_one, by = 3;
  if (ITEM == 999)
    by = fresh_one;
  multiply(few + (ME & 15), by);
}
kernel void multiplied_fresh_wrong(ARGUMENTS) { multiply(fresh + (ME & 63), 3); }
kernel void multiplied_by_fresh_wrong(ARGUMENTS) { multiply(few + (ME & 15), fresh[ME & 63]); }
kernel void added_weakly_wrong(ARGUMENTS) {
  global atomic_int *p = (global atomic_int *)fresh + (ME & 63);
  int seen = atomic_load_explicit(p, memory_order_relaxed, memory_scope_device);
  while (!atomic_compare_exchange_weak_explicit(p, &seen, seen + 2, memory_order_acq_rel, memory_order_relaxed,
                                                memory_scope_device))
    ;
}
kernel void never_expected_wrong(ARGUMENTS) { // the variable of the first swap has no value
  int seen;
  while (!atomic_compare_exchange_strong_explicit((global atomic_int *)few, &seen, seen + 2, memory_order_relaxed,
                                                  memory_order_relaxed, memory_scope_device))
    ;
}
// Who waits reads what others have written by then.
kernel void waited_for(ARGUMENTS) {
  global atomic_int *flag = (global atomic_int *)few;
  if (get_group_id(0) == 0) {
    fresh[ITEM & 63] = 3;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (ITEM == 0)
      atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
  } else {
    if (ITEM == 0)
      while (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 0)
        ;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (fresh[63 - (ITEM & 63)] == 3)
      data[ME] = 1;
  }
}
kernel void counted_arrivals(ARGUMENTS) {
  local atomic_int arrived;
  if (ITEM == 0)
    atomic_init(&arrived, 0);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_fetch_add_explicit(&arrived, 1, memory_order_release, memory_scope_work_group);
  while (atomic_load_explicit(&arrived, memory_order_acquire, memory_scope_work_group) < get_local_size(0))
    ;
  data[ME] = 1;
}
kernel void lock_never_made_wrong(ARGUMENTS) {
  local int lock;
  if (ITEM == 0) {
    int tries = 0;
    while (atomic_cmpxchg(&lock, 0, 1) != 0 && ++tries < 3)
      ;
  }
}
