// Three ways to pass data between work-items or kernels: hand_over.cpp uses them correctly,
// hand_over_wrong.cpp does not.
#ifndef TAKE
#define TAKE memory_order_acquire
#endif
#ifndef GIVE_BACK
#define GIVE_BACK memory_order_release
#endif
#ifndef SCOPE
#define SCOPE memory_scope_device
#endif

// With a lock: each work-group increments the counter, one after the other.
kernel void count(global atomic_uint *lock, global uint *counter) {
  if (get_local_id(0) == 0) {
    while (atomic_exchange_explicit(lock, 1, TAKE, memory_scope_device) != 0)
      ;
    *counter +=
        1; // acquire: sees what the last holder wrote before its release
    atomic_store_explicit(lock, 0, GIVE_BACK, memory_scope_device);
  }
}

// With a flag: group 0 writes a message, which all others read.
kernel void pass_on(global atomic_uint *flag, global uint *message, global uint *received) {
  const uint me = get_local_id(0), last = get_local_size(0) - 1;
  if (get_group_id(0) == 0) {
    message[me] = 3 * me;
    barrier(CLK_GLOBAL_MEM_FENCE); // so that item 0's release covers the writes of the others, too
    if (me == 0)
      atomic_store_explicit(flag, 1, memory_order_release, SCOPE);
  } else {
    if (me == 0)
      while (atomic_load_explicit(flag, memory_order_acquire, SCOPE) == 0)
        ;
    barrier(CLK_GLOBAL_MEM_FENCE);
    received[get_global_id(0)] = message[last - me];
  }
}

// With an event: `turn` reads what `number` has written.
kernel void number(global uint *list) {
  list[get_global_id(0)] = get_global_id(0);
}
kernel void turn(global const uint *list, global uint *turned) {
  turned[get_global_id(0)] = list[get_global_size(0) - 1 - get_global_id(0)];
}
