// A producer and a consumer that run at the same time and pass numbers through a ring.
//
// Each owns one counter: the number of values put in, or taken out. Each releases its own counter
// and acquires the other's. So a slot is written before it is read, and read before it is written
// again.
#define SLOTS 64

kernel void produce(global uint *ring, global atomic_uint *put, global atomic_uint *taken, uint count) {
  uint state = 1;
  for (uint i = 0; i < count; ++i) {
    while (i - atomic_load_explicit(taken, memory_order_acquire, memory_scope_device) >= SLOTS)
      ;
    state = state * 1664525u + 1013904223u;
    ring[i % SLOTS] = state;
    atomic_store_explicit(put, i + 1, memory_order_release, memory_scope_device);
  }
}

kernel void consume(global const uint *ring, global atomic_uint *put, global atomic_uint *taken, uint count,
                    global uint *result) {
  uint hash = 0;
  for (uint i = 0; i < count; ++i) {
    while (atomic_load_explicit(put, memory_order_acquire, memory_scope_device) == i)
      ;
    hash = hash * 31u + ring[i % SLOTS];
    atomic_store_explicit(taken, i + 1, memory_order_release, memory_scope_device);
  }
  *result = hash;
}
