; RUN: lockstep-opt -passes='isolate-group-operations,work-item-loops' %s | FileCheck %s
; Rows of a size that is not known end at a whole sub-group. There are as many sub-groups in memory.

; CHECK-LABEL: @kernel
; CHECK: [[SIZE:%.*]] = call i64 @__lockstep_local_size(i32 0)
; CHECK: [[LAST:%.*]] = add nuw i64 [[SIZE]], 15
; CHECK: [[OVER:%.*]] = urem i64 [[LAST]], 16
; CHECK: [[ROW:%.*]] = sub i64 [[LAST]], [[OVER]]
; CHECK: mul nuw i64 [[ROW]],
; CHECK: region.0.body:
; CHECK: [[NEXT:%.*]] = add nuw nsw i64 {{%.*}}, 16
; CHECK: icmp ult i64 [[NEXT]], [[ROW]]
define void @kernel(ptr addrspace(1) %p) "lockstep-sub-group-size"="16" "lockstep-padded-rows" {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %place = getelementptr i8, ptr addrspace(1) %p, i64 %x
  store i8 1, ptr addrspace(1) %place
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
