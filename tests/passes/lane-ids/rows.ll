; RUN: lockstep-opt -passes=lane-ids --local-size=32,4,1 %s | FileCheck %s --check-prefixes=CHECK,LONG
; RUN: lockstep-opt -passes=lane-ids --local-size=8,4,1 %s | FileCheck %s --check-prefixes=CHECK,SHORT
; RUN: lockstep-opt -passes=lane-ids --local-size=12,1,1 %s | FileCheck %s --check-prefixes=CHECK,LONG
; How the ids of the lanes follow from the first lane's: rows of a multiple of the sub-group (or a single one), and rows
; that divide it.

; CHECK: [[LANE:%lane]] = call i64 @__lockstep_lane()
; CHECK: [[X:%.*]] = call i64 @__lockstep_local_id(i32 0)
; CHECK: [[Y:%.*]] = call i64 @__lockstep_local_id(i32 1)
; LONG: [[XID:%local.id]] = add nuw nsw i64 [[X]], [[LANE]]
; LONG: %sum = add i64 [[XID]], [[Y]]
; SHORT: [[ROW:%lane.row]] = udiv i64 [[LANE]], 8
; SHORT: [[XID:%local.id]] = urem i64 [[LANE]], 8
; SHORT: [[YID:%local.id[0-9]*]] = add nuw nsw i64 [[Y]], [[ROW]]
; SHORT: %sum = add i64 [[XID]], [[YID]]
define i64 @kernel() "lockstep-sub-group-size"="16" {
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %sum = add i64 %x, %y
  ret i64 %sum
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
