; RUN: lockstep-opt -passes=lower-item-scopes %s | FileCheck %s --implicit-check-not=__lockstep_group_scope
; A kernel of groups in which no work-item does anything for itself: what the group reads is read by all before the first
; work-item writes.

; CHECK-LABEL: define spir_kernel void @kernel
; CHECK: %is.first = icmp eq i64 %{{.*}}, 0
; CHECK: %[[OLD:.*]] = load i32, ptr addrspace(1) %data
; CHECK: call void @__lockstep_barrier(i32 3)
; CHECK: br i1 %is.first
; CHECK: store i32 7, ptr addrspace(1) %data
; CHECK: store i32 %[[OLD]], ptr addrspace(1) %out
; CHECK-NOT: call void @__lockstep_barrier
; CHECK: ret void
define spir_kernel void @kernel(ptr addrspace(1) %data, ptr addrspace(1) %out) {
  call void @__lockstep_group_scope()
  call void @work(ptr addrspace(1) %data, ptr addrspace(1) %out)
  ret void
}

define internal void @work(ptr addrspace(1) %data, ptr addrspace(1) %out) {
  %old = load i32, ptr addrspace(1) %data
  store i32 7, ptr addrspace(1) %data
  store i32 %old, ptr addrspace(1) %out
  ret void
}

declare void @__lockstep_group_scope()
