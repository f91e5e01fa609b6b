// The same product, with an ordinary multiplication that a mutex protects. product_by_spin_lock.cpp
// explains the two forms of waiting. `lock` is 0 when free.
float product_of_slice(global const float *values, uint n) {
  float product = 1.0f;
  for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
    product *= values[i];
  return product;
}

#if __OPENCL_C_VERSION__ < 200

typedef volatile global uint *Lock;

// OpenCL C 1.x has fences and atomics, but its memory model defines no order between work-groups.
// Every implementation orders a fence and an atomic, and programs of that time rely on it.
bool try_lock(Lock lock) {
  bool got = atomic_cmpxchg(lock, 0, 1) == 0;
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  return got;
}

void unlock(Lock lock) {
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  atomic_xchg(lock, 0);
}

#else

typedef volatile global atomic_flag *Lock;

// Acquire and release at device scope: this acquire sees what the last holder wrote before its
// release, in any work-group.
bool try_lock(Lock lock) {
  return !atomic_flag_test_and_set_explicit(lock, memory_order_acquire, memory_scope_device);
}

void unlock(Lock lock) { atomic_flag_clear_explicit(lock, memory_order_release, memory_scope_device); }

#endif

// The device must clear an atomic_flag itself, because the host does not know its representation in
// memory.
kernel void start(Lock lock, global float *product) {
  unlock(lock);
  *product = 1.0f;
}

// Form 1: one work-item per work-group waits.
kernel void product_by_leader(global const float *values, uint n, Lock lock, volatile global float *product,
                              local float *partial) {
  size_t me = get_local_id(0);
  partial[me] = product_of_slice(values, n);
  for (size_t upper = get_local_size(0) / 2; upper > 0; upper /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me < upper)
      partial[me] *= partial[me + upper];
  }
  if (me == 0) {
    while (!try_lock(lock))
      ;
    *product *= partial[0];
    unlock(lock);
  }
}

// Form 2: every work-item waits, and the critical section is inside the loop.
kernel void product_by_all(global const float *values, uint n, Lock lock, volatile global float *product) {
  float mine = product_of_slice(values, n);
  bool done = false;
  while (!done) {
    if (try_lock(lock)) {
      *product *= mine;
      unlock(lock);
      done = true;
    }
  }
}
