// Updates, swaps, stores and fences that only one work-group can see, and the same for the device.
#define ALL(name, object, scope)                                                                                       \
  kernel void name(global uint *out, global atomic_uint *table) {                                                      \
    local atomic_uint here[64];                                                                                        \
    atomic_init(&here[get_local_id(0)], 0);                                                                            \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    uint i = get_global_id(0), seen = out[i], expected = 0;                                                            \
    seen += atomic_fetch_add_explicit(&object[seen % 64], i, memory_order_relaxed, scope);                             \
    seen += atomic_fetch_max_explicit(&object[seen % 64], i, memory_order_acq_rel, scope);                             \
    seen += atomic_exchange_explicit(&object[seen % 64], i, memory_order_seq_cst, scope);                              \
    seen += atomic_compare_exchange_strong_explicit(&object[seen % 64], &expected, i, memory_order_acq_rel,            \
                                                    memory_order_acquire, scope);                                      \
    seen += atomic_flag_test_and_set_explicit((volatile atomic_flag *)&object[seen % 64], memory_order_acquire, scope);\
    atomic_store_explicit(&object[seen % 64], i, memory_order_seq_cst, scope);                                         \
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_seq_cst, scope);                   \
    out[i] = seen + expected;                                                                                          \
  }
ALL(in_local_memory, here, memory_scope_work_group)
ALL(of_the_group, table, memory_scope_work_group)
ALL(of_the_sub_group, table, memory_scope_sub_group)
ALL(of_the_device, table, memory_scope_device)
ALL(of_all_devices, table, memory_scope_all_svm_devices)

// A lock of the group: its work-items wait for each other, so the kernel has the resumable form.
#define LOCK(name, object, scope)                                                                                      \
  kernel void name(global uint *sums, global atomic_uint *locks) {                                                     \
    local atomic_uint here[1];                                                                                         \
    atomic_init(here, 0);                                                                                              \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    uint group = get_group_id(0);                                                                                      \
    while (atomic_exchange_explicit(&object[0], 1, memory_order_acquire, scope)) ;                                     \
    sums[group] += get_local_id(0);                                                                                    \
    atomic_store_explicit(&object[0], 0, memory_order_release, scope);                                                 \
  }
LOCK(lock_in_local_memory, here, memory_scope_work_group)
LOCK(lock_of_the_group, (locks + group), memory_scope_work_group)
LOCK(lock_of_the_device, (locks + group), memory_scope_device)
