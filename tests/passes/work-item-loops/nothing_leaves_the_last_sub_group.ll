; RUN: lockstep-opt -passes='isolate-group-operations,work-item-loops' %s | FileCheck %s
; A pointer that crosses the barrier is loaded and followed where the last sub-group runs, not in front of the loop:
; there may be no such sub-group.

; CHECK-LABEL: @kernel
; CHECK: region.1:
; CHECK-NOT: load ptr addrspace(1)
; CHECK: br i1
; CHECK: region.1.rest:
; CHECK: load ptr addrspace(1)
define void @kernel(ptr addrspace(1) %p) "lockstep-sub-group-size"="16" {
  %id = call i64 @__lockstep_local_id(i32 0)
  %place = getelementptr ptr addrspace(1), ptr addrspace(1) %p, i64 %id
  %target = load ptr addrspace(1), ptr addrspace(1) %place
  call void @__lockstep_barrier(i32 1)
  %value = load i32, ptr addrspace(1) %target
  store i32 %value, ptr addrspace(1) %p
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare void @__lockstep_barrier(i32) convergent nounwind
