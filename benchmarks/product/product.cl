// As examples/product_by_*.cl, in the 1.x forms, which every device has.
float product_of_slice(global const float *values, uint n) {
  float product = 1.0f;
  for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
    product *= values[i];
  return product;
}

kernel void by_swap(global const float *values, uint n, volatile global uint *product) {
  float mine = product_of_slice(values, n);
  uint seen = *product, expected;
  do {
    expected = seen;
    seen = atomic_cmpxchg(product, expected, as_uint(as_float(expected) * mine));
  } while (seen != expected);
}

// The protected work stands inside the loop, so that lanes that run in step meet after the unlock.
kernel void by_lock(global const float *values, uint n, volatile global uint *lock, volatile global float *product) {
  float mine = product_of_slice(values, n);
  bool done = false;
  while (!done) {
    if (atomic_cmpxchg(lock, 0, 1) == 0) {
      mem_fence(CLK_GLOBAL_MEM_FENCE);
      *product *= mine;
      mem_fence(CLK_GLOBAL_MEM_FENCE);
      atomic_xchg(lock, 0);
      done = true;
    }
  }
}

// The items of a group multiply in a tree, and its first one takes the lock.
kernel void by_lock_of_group(global const float *values, uint n, volatile global uint *lock, volatile global float *product,
                             local float *partial) {
  const uint me = get_local_id(0);
  partial[me] = product_of_slice(values, n);
  for (uint step = get_local_size(0) / 2; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me < step)
      partial[me] *= partial[me + step];
  }
  if (me == 0) {
    while (atomic_cmpxchg(lock, 0, 1) != 0)
      ;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    *product *= partial[0];
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    atomic_xchg(lock, 0);
  }
}
