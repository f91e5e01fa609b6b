; RUN: lockstep-opt -passes='guard-accesses,verify' --failed-assumptions=0xffffffffffffffff %s | FileCheck %s
; A pointer that is itself loaded is null where its load was not made, also for who is told of the access through it.

; CHECK-LABEL: define spir_kernel void @through
; CHECK: %[[LOADED:.*]] = load ptr addrspace(1), ptr addrspace(4) %place
; CHECK: %[[POINTER:.*]] = phi ptr addrspace(1) [ %[[LOADED]], %{{.*}} ], [ null, %{{.*}} ]
; CHECK: store i32 1, ptr addrspace(1) %[[POINTER]]
; CHECK: %[[TOLD:.*]] = addrspacecast ptr addrspace(1) %[[POINTER]] to ptr addrspace(4)
; CHECK: call void @__lockstep_check_outside(ptr addrspace(4) %[[TOLD]],
define spir_kernel void @through(ptr addrspace(4) %block) {
  %place = getelementptr inbounds i8, ptr addrspace(4) %block, i64 16
  %pointer = load ptr addrspace(1), ptr addrspace(4) %place
  store i32 1, ptr addrspace(1) %pointer
  ret void
}
