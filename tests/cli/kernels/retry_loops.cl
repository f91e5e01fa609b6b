// Compare-and-swap loops. Those of retry_... go on only because another swap succeeded; those of wait_... until a value comes.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

kernel void retry_float_by_add_0(global volatile uint *p, float d) {
  union { float f; uint i; } old, new;
  do {
    old.i = atomic_add(p, 0);
    new.f = old.f + d;
  } while (atomic_cmpxchg(p, old.i, new.i) != old.i);
}

kernel void retry_float_returned(global float *p, float d) {
  uint old = as_uint(*p), seen = old;
  do {
    old = seen;
    seen = atomic_cmpxchg((volatile global uint *)p, old, as_uint(as_float(old) + d));
  } while (seen != old);
}

kernel void retry_double(global volatile ulong *p, double d) {
  ulong old;
  do
    old = *p;
  while (atom_cmpxchg(p, old, as_ulong(as_double(old) + d)) != old);
}

kernel void retry_weak(global atomic_int *p, int most) {
  int old = atomic_load_explicit(p, memory_order_relaxed, memory_scope_device);
  while (old < most && !atomic_compare_exchange_weak_explicit(p, &old, most, memory_order_relaxed,
                                                              memory_order_relaxed, memory_scope_device))
    ;
}

kernel void retry_strong(global atomic_long *p, long most) {
  for (int tries = 0; tries < 1000; ++tries) {
    long old = atomic_load(p);
    if (old >= most)
      return;
    if (atomic_compare_exchange_strong(p, &old, old * 3))
      break;
  }
}

// In local memory, beside barriers.
kernel void retry_local(global int *out, local atomic_uint *p) {
  if (get_local_id(0) == 0)
    atomic_init(p, 1u);
  barrier(CLK_LOCAL_MEM_FENCE);
  uint old = atomic_load(p);
  while (!atomic_compare_exchange_strong(p, &old, old * 3u + 1u))
    ;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = atomic_load(p);
}

kernel void wait_lock(global volatile int *l, global int *sum) {
  while (atomic_cmpxchg(l, 0, 1) != 0)
    ;
  *sum += 1;
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  atomic_xchg(l, 0);
}

kernel void wait_lock_bit(global volatile uint *l, global int *sum) {
  uint old;
  do
    old = atomic_or(l, 0);
  while ((old & 1) || atomic_cmpxchg(l, old, old | 1) != old);
  *sum += 1;
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  atomic_and(l, ~1u);
}

kernel void wait_lock_by_mask(global volatile uint *l, global int *sum) {
  uint old;
  do
    old = atomic_or(l, 0) & ~1u;
  while (atomic_cmpxchg(l, old, old | 1) != old);
  *sum += 1;
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  atomic_and(l, ~1u);
}

// It swaps 1 for 1 and goes on.
kernel void wait_lock_set_again(global volatile uint *l, global int *sum) {
  uint old, seen;
  do {
    old = *l;
    seen = atomic_cmpxchg(l, old, old | 1);
  } while (seen != old || (seen & 1));
  *sum += 1;
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  atomic_and(l, ~1u);
}

kernel void wait_turn(global atomic_uint *turn, global int *sum) {
  uint mine = get_global_id(0);
  while (!atomic_compare_exchange_weak(turn, &mine, mine + 1))
    mine = get_global_id(0);
  *sum += 1;
}

kernel void wait_as_another_says(global volatile uint *p, global volatile uint *q) {
  uint old;
  do
    old = *q;
  while (atomic_cmpxchg(p, old, 7u) != old);
}

// A swap of NaN succeeds, and the loop goes on until another work-item writes a number.
kernel void wait_no_nan(global float *p, float d) {
  float old, seen = *p;
  do {
    old = seen;
    seen = as_float(atomic_cmpxchg((volatile global uint *)p, as_uint(old), as_uint(old + d)));
  } while (seen != old);
}
