; RUN: lockstep-opt -passes=lane-ids %s | FileCheck %s
; A sub-group has work-items of one row, whatever the local size is.

; CHECK-NOT: fdiv
; CHECK: [[X:%.*]] = call i64 @__lockstep_local_id(i32 0)
; CHECK: [[Y:%.*]] = call i64 @__lockstep_local_id(i32 1)
; CHECK: [[ID:%.*]] = add nuw nsw i64 [[X]], {{%.*}}
; CHECK: add i64 [[ID]], [[Y]]
define i64 @kernel() "lockstep-sub-group-size"="16" "lockstep-padded-rows" {
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %sum = add i64 %x, %y
  ret i64 %sum
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
