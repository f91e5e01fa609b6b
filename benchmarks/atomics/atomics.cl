// Counting into a table, with each atomic operation that says another thing of who may look.
#define TABLE 1024

#define COUNT(name, order, scope)                                                                  \
  kernel void name(global const ushort *places, global atomic_uint *table) {                       \
    atomic_fetch_add_explicit(&table[places[get_global_id(0)]], 1, order, scope);                  \
  }
COUNT(relaxed, memory_order_relaxed, memory_scope_device)
COUNT(acq_rel, memory_order_acq_rel, memory_scope_device)

// Each work-group has a table of its own.
kernel void group_scope(global const ushort *places, global atomic_uint *tables) {
  global atomic_uint *mine = tables + get_group_id(0) * TABLE;
  atomic_fetch_add_explicit(&mine[places[get_global_id(0)]], 1, memory_order_relaxed, memory_scope_work_group);
}

kernel void in_local(global const ushort *places, uint rounds, global atomic_uint *table) {
  local atomic_uint mine[TABLE];
  for (size_t i = get_local_id(0); i < TABLE; i += get_local_size(0))
    atomic_init(&mine[i], 0);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = 0; i < rounds; ++i)
    atomic_fetch_add_explicit(&mine[places[get_global_id(0) + i * get_global_size(0)]], 1, memory_order_relaxed,
                              memory_scope_work_group);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t i = get_local_id(0); i < TABLE; i += get_local_size(0))
    atomic_fetch_add_explicit(&table[i], atomic_load_explicit(&mine[i], memory_order_relaxed, memory_scope_work_group),
                              memory_order_relaxed, memory_scope_device);
}

// As programs add floats where they know of no function for that.
kernel void float_exchange(global const ushort *places, global atomic_float *table) {
  global atomic_float *to = &table[places[get_global_id(0)]];
  float before = atomic_load_explicit(to, memory_order_relaxed, memory_scope_device);
  while (!atomic_compare_exchange_weak_explicit(to, &before, before + 0.25f, memory_order_relaxed, memory_order_relaxed,
                                                memory_scope_device))
    ;
}
