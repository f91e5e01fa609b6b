; RUN: lockstep-opt -passes=used-bits %s | FileCheck %s
; tid = ly * 16 + lx, of which rows and columns of other lengths are made. The mask 28 has all bits that are left.

declare i64 @__lockstep_local_id(i32)

; CHECK-LABEL: @kernel
; CHECK: %x = call range(i64 0, 16) i64 @__lockstep_local_id(i32 0)
; CHECK: %y = call range(i64 0, 8) i64 @__lockstep_local_id(i32 1)
; CHECK: %row = shl nuw nsw i64 %y, 4
; CHECK: %column = trunc i64 %x to i32
; CHECK: [[HIGH:%.*]] = trunc i64 %row to i32
; CHECK-NEXT: %rows.of.16 = lshr i32 [[HIGH]], 2
; CHECK: [[HIGH2:%.*]] = trunc i64 %row to i32
; CHECK-NEXT: %number.of.row = lshr i32 [[HIGH2]], 4
define i32 @kernel() "lockstep-sub-group-size"="16" {
  %x = call range(i64 0, 16) i64 @__lockstep_local_id(i32 0)
  %y = call range(i64 0, 8) i64 @__lockstep_local_id(i32 1)
  %row = shl nuw nsw i64 %y, 4
  %tid = or disjoint i64 %row, %x
  %narrow = trunc nuw nsw i64 %tid to i32
  %column = and i32 %narrow, 15
  %fourth = lshr i32 %narrow, 2
  %rows.of.16 = and i32 %fourth, 28
  %number.of.row = lshr i32 %narrow, 4
  %a = add i32 %column, %rows.of.16
  %b = add i32 %a, %number.of.row
  ret i32 %b
}

; A sum without a carry; the mask stays where the summand has other bits.
; CHECK-LABEL: @sum
; CHECK: %r = and i64 %x, 7
define i64 @sum() "lockstep-sub-group-size"="16" {
  %x = call range(i64 0, 16) i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %row = shl i64 %y, 4
  %tid = add i64 %row, %x
  %r = and i64 %tid, 7
  ret i64 %r
}
