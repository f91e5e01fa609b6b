// Every work-item folds the elements first, first + step, ... into a private product, then
// multiplies it into *product.
//
// OpenCL C has no atomic_mul. A compare-and-swap loop makes any operation atomic: read the old
// value, compute the new one, and store it only if the old one is still there. The bits of a float
// are stored as a uint.
float product_of_slice(global const float *values, uint n) {
  float product = 1.0f;
  for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
    product *= values[i];
  return product;
}

#if __OPENCL_C_VERSION__ < 200

// OpenCL C 1.x: atomic_cmpxchg returns the old value.
kernel void product(global const float *values, uint n, volatile global uint *product) {
  float mine = product_of_slice(values, n);
  uint seen = *product;
  uint expected;
  do {
    expected = seen;
    seen = atomic_cmpxchg(product, expected, as_uint(as_float(expected) * mine));
  } while (seen != expected);
}

#else

// OpenCL C 2.0 and later: on failure the function itself stores the old value in `expected`, so the
// loop has no body. A `weak` exchange may fail spuriously, which the loop tolerates. Relaxed order
// is sufficient: no other memory depends on the value; the end of the kernel publishes it.
kernel void product(global const float *values, uint n, volatile global atomic_uint *product) {
  float mine = product_of_slice(values, n);
  uint expected = atomic_load_explicit(product, memory_order_relaxed, memory_scope_device);
  while (!atomic_compare_exchange_weak_explicit(product, &expected, as_uint(as_float(expected) * mine),
                                                memory_order_relaxed, memory_order_relaxed, memory_scope_device))
    ;
}

#endif
