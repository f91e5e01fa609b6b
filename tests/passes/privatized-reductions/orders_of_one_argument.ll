; RUN: lockstep-opt -passes=privatized-reductions %s 2>&1 | FileCheck %s
; The updates of one argument may order other accesses, if nothing else does: a copy is added to the memory by ordered updates.

; CHECK-DAG: each worker has a copy of 'p'
; CHECK-DAG: 'relaxed' for the workers: a fence or an access of the kernel orders the updates before others
; CHECK: atomicrmw add ptr addrspace(1) %p, i32 1 seq_cst, align 4, !lockstep.privatized
; CHECK: call void @__lockstep_atomic_multiply_i32(ptr addrspace(1) %relaxed, i32 3, i32 2){{$}}
define spir_kernel void @counts(ptr addrspace(1) %p, ptr addrspace(1) %relaxed, ptr addrspace(1) %to) {
  store i32 1, ptr addrspace(1) %to
  %a = atomicrmw add ptr addrspace(1) %p, i32 1 seq_cst, align 4
  %next = getelementptr i32, ptr addrspace(1) %p, i64 1
  %b = atomicrmw add ptr addrspace(1) %next, i32 1 release, align 4
  call void @__lockstep_atomic_multiply_i32(ptr addrspace(1) %relaxed, i32 3, i32 2)
  ret void
}
declare void @__lockstep_atomic_multiply_i32(ptr addrspace(1), i32, i32)
