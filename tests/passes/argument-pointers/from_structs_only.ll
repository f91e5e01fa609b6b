; RUN: lockstep-opt -passes='function(argument-pointers)' %s | FileCheck %s
; A generic pointer that stands in a struct argument is global; one that is loaded through it may be anything. What is
; loaded from the argument block does not change.

; CHECK-LABEL: define spir_kernel void @kernel
; CHECK: %pointer = load ptr addrspace(4), ptr %field, align 8, !invariant.load
; CHECK: %[[GLOBAL:.*]] = addrspacecast ptr addrspace(4) %pointer to ptr addrspace(1)
; CHECK: %[[GENERIC:.*]] = addrspacecast ptr addrspace(1) %[[GLOBAL]] to ptr addrspace(4)
; CHECK: %other = load ptr addrspace(4), ptr addrspace(4) %[[GENERIC]], align 8
; CHECK-NOT: addrspacecast
; CHECK: %own = load i32, ptr %struct, align 4, !invariant.load
; CHECK: store i32 %own, ptr addrspace(4) %other
define spir_kernel void @kernel(ptr align 8 %struct) {
  %field = getelementptr i8, ptr %struct, i64 8
  %pointer = load ptr addrspace(4), ptr %field
  %other = load ptr addrspace(4), ptr addrspace(4) %pointer
  %own = load i32, ptr %struct
  store i32 %own, ptr addrspace(4) %other
  ret void
}
