// Work-items that take a lock one after the other, each to add one to a plain number. The protected work stands inside the loop, so
// that lanes that run in step meet after the unlock.
#define LOCK(name, taken, given_back)                                                                                   \
  kernel void name(global atomic_uint *lock, global uint *sum) {                                                          \
    bool done = false;                                                                                                    \
    while (!done) {                                                                                                       \
      if (atomic_exchange_explicit(lock, 1, taken, memory_scope_device) == 0) {                                           \
        *sum += 1;                                                                                                        \
        atomic_store_explicit(lock, 0, given_back, memory_scope_device);                                                  \
        done = true;                                                                                                      \
      }                                                                                                                   \
    }                                                                                                                     \
  }
LOCK(lock, memory_order_acquire, memory_order_release)
#ifdef SEQ_CST
LOCK(lock_seq_cst, memory_order_seq_cst, memory_order_seq_cst)
#endif

// As examples/global_barrier.cl: all groups meet between each two steps.
void barrier_of_all(global atomic_uint *arrived, global atomic_uint *open, uint step) {
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    const uint before = atomic_fetch_add_explicit(arrived, 1, memory_order_acq_rel, memory_scope_device);
    if (before + 1 == step * (uint)get_num_groups(0))
      atomic_store_explicit(open, step, memory_order_release, memory_scope_device);
  }
  while (atomic_load_explicit(open, memory_order_acquire, memory_scope_device) < step)
    ;
  barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void heat(global uint *a, global uint *b, uint steps, global atomic_uint *arrived) {
  const size_t i = get_global_id(0), n = get_global_size(0);
  for (uint step = 1; step <= steps; ++step) {
    b[i] = i == 0 || i + 1 == n ? a[i] : a[i - 1] / 2 + a[i + 1] / 2;
    barrier_of_all(&arrived[0], &arrived[1], step);
    global uint *swap = a;
    a = b;
    b = swap;
  }
}

// Each group waits for the one before it. The leader polls, or all work-items of the group together.
#define FLAG(g) (int)atomic_load_explicit(&flags[g], memory_order_acquire, memory_scope_device)
void pass_on(global uint *values, global atomic_uint *flags) {
  const size_t i = get_global_id(0), group = get_group_id(0);
  values[i] = group == 0 ? 1 : values[i - get_local_size(0)] + 1;
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (get_local_id(0) == 0)
    atomic_store_explicit(&flags[group], 1, memory_order_release, memory_scope_device);
}

kernel void chain_leader(global uint *values, global atomic_uint *flags) {
  const size_t group = get_group_id(0);
  if (group > 0 && get_local_id(0) == 0)
    while (FLAG(group - 1) == 0)
      ;
  barrier(CLK_GLOBAL_MEM_FENCE);
  pass_on(values, flags);
}

kernel void chain_all(global uint *values, global atomic_uint *flags) {
  const size_t group = get_group_id(0);
  int ready = group == 0;
  while (!work_group_all(ready))
    ready = FLAG(group - 1);
  pass_on(values, flags);
}

// A few groups meet many times.
kernel void meetings(global uint *values, global atomic_uint *arrived, uint count) {
  const size_t i = get_global_id(0), n = get_global_size(0);
  for (uint t = 0; t < count; ++t) {
    values[(t + 1) % 2 * n + i] = values[t % 2 * n + (i + get_local_size(0)) % n] + 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
      atomic_fetch_add_explicit(arrived, 1, memory_order_acq_rel, memory_scope_device);
      while (atomic_load_explicit(arrived, memory_order_acquire, memory_scope_device) <
             (t + 1) * (uint)get_num_groups(0))
        ;
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
}

#ifdef PIPES
// Sub-groups reserve room for all of their work-items.
kernel void put(global const uint *values, write_only pipe uint to) {
  const uint value = values[get_global_id(0)];
  reserve_id_t room = sub_group_reserve_write_pipe(to, get_sub_group_size());
  if (is_valid_reserve_id(room)) {
    write_pipe(to, room, get_sub_group_local_id(), &value);
    sub_group_commit_write_pipe(to, room);
  }
}

kernel void take(read_only pipe uint from, global uint *values) {
  uint value = 0;
  reserve_id_t some = sub_group_reserve_read_pipe(from, get_sub_group_size());
  if (is_valid_reserve_id(some)) {
    read_pipe(from, some, get_sub_group_local_id(), &value);
    sub_group_commit_read_pipe(from, some);
  }
  values[get_global_id(0)] = value;
}
#endif
