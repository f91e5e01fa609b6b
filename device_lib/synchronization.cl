// Barriers and fences (OpenCL C 6.15.8, 6.15.12.4).
//
// The scope of a barrier hardly matters on a CPU: memory is coherent, so ordering accesses for all
// devices costs no more than ordering them for the work-group. Only the pass that delays updates
// (privatized-reductions) must know whether a barrier is for more than the group. A fence for the
// work-group, which runs on one thread at a time, or for its local memory needs no instruction.
#include "device_lib/lockstep_builtins.h"
#include "device_lib/scopes.h"

BUILTIN GROUP_OPERATION void barrier(cl_mem_fence_flags flags) {
  __lockstep_barrier(flags);
}
BUILTIN GROUP_OPERATION void work_group_barrier(cl_mem_fence_flags flags) {
  __lockstep_barrier(flags);
}
BUILTIN GROUP_OPERATION void work_group_barrier(cl_mem_fence_flags flags, memory_scope scope) {
  const bool is_wide = scope == memory_scope_device || scope == memory_scope_all_svm_devices;
  __lockstep_barrier(is_wide ? flags | LOCKSTEP_BARRIER_FOR_DEVICE : flags);
}

// The fences of OpenCL C 1.x order the accesses of this work-item as the others of its group
// observe them.
BUILTIN void mem_fence(cl_mem_fence_flags flags) {
  __c11_atomic_thread_fence(memory_order_acq_rel);
}
BUILTIN void read_mem_fence(cl_mem_fence_flags flags) {
  __c11_atomic_thread_fence(memory_order_acquire);
}
BUILTIN void write_mem_fence(cl_mem_fence_flags flags) {
  __c11_atomic_thread_fence(memory_order_release);
}

#define FENCE(order)                                                                               \
  if (is_narrow)                                                                                   \
    __scoped_atomic_thread_fence(order, __MEMORY_SCOPE_WRKGRP);                                    \
  else                                                                                             \
    __scoped_atomic_thread_fence(order, __MEMORY_SCOPE_SYSTEM)

// An order that is known only at run time takes the strongest fence, which is always allowed.
BUILTIN void atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order,
                                    memory_scope scope) {
  const bool is_narrow = reach_of(scope) == memory_scope_work_group || flags == CLK_LOCAL_MEM_FENCE;
  switch (order) {
  case memory_order_relaxed:
    return;
  case memory_order_acquire:
    FENCE(__ATOMIC_ACQUIRE);
    return;
  case memory_order_release:
    FENCE(__ATOMIC_RELEASE);
    return;
  case memory_order_acq_rel:
    FENCE(__ATOMIC_ACQ_REL);
    return;
  default:
    FENCE(__ATOMIC_SEQ_CST);
    return;
  }
}
