; RUN: lockstep-opt -passes=instrument-accesses %s | FileCheck %s
; What record-arguments has left: an argument that may differ is told of as if it were an address, and copies have events.

; CHECK-LABEL: define spir_kernel void @arguments
; CHECK-NOT: tell_
; CHECK: [[VALUE:%.*]] = inttoptr i64 %id to ptr addrspace(4)
; CHECK-NEXT: call void @__lockstep_check_access(ptr addrspace(4) [[VALUE]], i64 0, i64 1, ptr @{{.*}}, i64 %item, i64 0)
; CHECK-NOT: check_access
; CHECK: call void @__lockstep_barrier(
; CHECK-NOT: tell_
; CHECK: ret void
define spir_kernel void @arguments(i64 %n) "lockstep-local-size"="64,1,1" {
  %id = call i64 @__lockstep_local_id(i32 0)
  call void @__lockstep_record_argument(i64 %id, i32 0)
  call void @__lockstep_record_argument(i64 %n, i32 0)
  call void @__lockstep_record_argument(i64 7, i32 0)
  call void @__lockstep_barrier(i32 1)
  ret void
}

; CHECK-LABEL: define spir_kernel void @copies
; CHECK-NOT: tell_
; CHECK: [[ONE:%.*]] = add i64 0, 1
; CHECK-NEXT: [[FIRST:%.*]] = select i1 true, i64 [[ONE]], i64 0
; CHECK-NEXT: [[TOLD:%.*]] = inttoptr i64 [[FIRST]] to ptr addrspace(4)
; CHECK-NEXT: call void @__lockstep_check_access(ptr addrspace(4) [[TOLD]], i64 0, i64 1,
; CHECK: call void @__lockstep_check_copy(
; CHECK: [[TWO:%.*]] = add i64 [[ONE]], 1
; CHECK-NEXT: [[IS_NEW:%.*]] = icmp eq i64 [[FIRST]], 0
; CHECK-NEXT: select i1 [[IS_NEW]], i64 [[TWO]], i64 [[FIRST]]
; CHECK: call void @__lockstep_check_copy(
; CHECK: [[THREE:%.*]] = add i64 [[TWO]], 1
; CHECK-NEXT: [[THIRD:%.*]] = select i1 true, i64 [[THREE]], i64 0
; CHECK: call void @__lockstep_check_copy(
; CHECK: [[AWAITED:%.*]] = inttoptr i64 [[THIRD]] to ptr addrspace(4)
; CHECK-NEXT: call void @__lockstep_check_access(ptr addrspace(4) [[AWAITED]], i64 0, i64 1,
; CHECK-NEXT: call void @__lockstep_barrier(i32 3)
; CHECK: ret void
define spir_kernel void @copies(ptr addrspace(1) %from, ptr addrspace(3) %to, i64 %n) "lockstep-local-size"="64,1,1" {
  %a = addrspacecast ptr addrspace(3) %to to ptr addrspace(4)
  %b = addrspacecast ptr addrspace(1) %from to ptr addrspace(4)
  %first = call i64 @__lockstep_record_copy(i64 0)
  call void @__lockstep_group_copy(ptr addrspace(4) %a, ptr addrspace(4) %b, i64 %n, i64 1, i64 1, i64 4)
  %same = call i64 @__lockstep_record_copy(i64 %first)
  call void @__lockstep_group_copy(ptr addrspace(4) %a, ptr addrspace(4) %b, i64 %n, i64 1, i64 1, i64 4)
  %third = call i64 @__lockstep_record_copy(i64 0)
  call void @__lockstep_group_copy(ptr addrspace(4) %a, ptr addrspace(4) %b, i64 %n, i64 1, i64 1, i64 4)
  call void @__lockstep_record_awaited(i64 %third)
  call void @__lockstep_barrier(i32 3)
  ret void
}

declare i64 @__lockstep_local_id(i32)
declare i64 @__lockstep_record_copy(i64)
declare void @__lockstep_record_awaited(i64)
declare void @__lockstep_record_argument(i64, i32)
declare void @__lockstep_barrier(i32) convergent nounwind
declare void @__lockstep_group_copy(ptr addrspace(4), ptr addrspace(4), i64, i64, i64, i64) convergent nounwind
