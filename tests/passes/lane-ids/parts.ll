; RUN: lockstep-opt -passes=lane-ids --local-size=64,1,1 %s | FileCheck %s
; RUN: lockstep-opt -passes=lane-ids --local-size=4,16,1 %s | FileCheck %s --check-prefix=SHORT
; Rows of 8, of 4, and of more in groups of one dimension: the first lane's id is a multiple of 8.

; CHECK-LABEL: @kernel
; CHECK: [[LANE:%lane]] = call i64 @__lockstep_lane()
; CHECK: [[X:%.*]] = call i64 @__lockstep_local_id(i32 0)
; CHECK: [[FIRST:%.*]] = mul i64 %group, 64
; CHECK: [[SUM:%.*]] = add i64 [[FIRST]], [[X]]
; CHECK: %row = lshr i64 [[SUM]], 3
; CHECK: %column = and i64 [[LANE]], 7
; CHECK: [[FOURTH:%.*]] = lshr i64 {{%.*}}, 2
; CHECK: [[OF_LANE:%.*]] = lshr i64 [[LANE]], 2
; CHECK: %short.row = add i64 [[FOURTH]], [[OF_LANE]]
; CHECK: [[NARROW:%.*]] = trunc i64 [[LANE]] to i32
; CHECK: %narrow.column = and i32 [[NARROW]], 3
; CHECK: [[UNIFORM:%.*]] = and i64 {{%.*}}, 15
; CHECK: [[OF_LANE:%.*]] = and i64 [[LANE]], 15
; CHECK: %wide = add i64 [[UNIFORM]], [[OF_LANE]]
; CHECK: %far = lshr i64 {{%.*}}, 5
; CHECK: %high.row = and i64 {{%.*}}, 1920
; CHECK: %shifted = lshr i64 %more, 3
; SHORT: %row = lshr i64 %global, 3
define i64 @kernel(i64 %offset) "lockstep-sub-group-size"="8" {
  %group = call i64 @__lockstep_group_id(i32 0)
  %x = call i64 @__lockstep_local_id(i32 0)
  %first = shl i64 %group, 6
  %global = add i64 %first, %x
  %row = lshr i64 %global, 3
  %column = and i64 %x, 7
  %short.row = lshr i64 %global, 2
  %narrow = trunc i64 %global to i32
  %narrow.column = and i32 %narrow, 3
  %wide = and i64 %global, 15
  %far = lshr i64 %global, 5
  %high = shl i64 %global, 4
  %high.row = and i64 %high, 1920
  %more = add i64 %global, %offset
  %shifted = lshr i64 %more, 3
  %narrow.wide = zext i32 %narrow.column to i64
  %a = add i64 %row, %column
  %b = add i64 %a, %short.row
  %c = add i64 %b, %narrow.wide
  %d = add i64 %c, %wide
  %e = add i64 %d, %shifted
  %f = add i64 %e, %far
  %g = add i64 %f, %high.row
  ret i64 %g
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)
