; RUN: lockstep-opt -passes=answer-sub-group-queries --local-size=64,1,1 %s | FileCheck %s --check-prefixes=CHECK,FULL
; RUN: lockstep-opt -passes=answer-sub-group-queries --local-size=6,3,2 %s | FileCheck %s --check-prefixes=CHECK,PARTIAL
; A sub-group's number follows from the id of its first lane; whether it is full may be known.

; CHECK: [[X:%.*]] = call i64 @__lockstep_local_id(i32 0)
; PARTIAL: [[Z:%.*]] = call i64 @__lockstep_local_id(i32 2)
; PARTIAL: mul nuw i64 [[Z]], 3
; CHECK: lshr i64 {{.*}}, 4
; CHECK: %sub.group.id = trunc
; CHECK-NOT: call {{.*}}@__lockstep_sub_group_
; FULL: add i64 16, %
; PARTIAL: [[ACTIVE:%.*]] = call i64 @__lockstep_active_lanes()
; PARTIAL: add i64 [[ACTIVE]], %
; CHECK: add i32 16, %sub.group.id
define i64 @kernel() "lockstep-sub-group-size"="16" {
  %size = call i64 @__lockstep_active_lanes()
  %lane = call i64 @__lockstep_lane()
  %sum = add i64 %size, %lane
  %width = call i32 @__lockstep_sub_group_width()
  %id = call i32 @__lockstep_sub_group_id()
  %other = add i32 %width, %id
  %wide = zext i32 %other to i64
  %all = add i64 %sum, %wide
  ret i64 %all
}

declare i64 @__lockstep_active_lanes() nounwind willreturn memory(none)
declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare i32 @__lockstep_sub_group_width() nounwind willreturn memory(none)
declare i32 @__lockstep_sub_group_id() nounwind willreturn memory(none)
