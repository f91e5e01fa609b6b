; RUN: lockstep-opt -passes=simplify-indices %s | FileCheck %s
; tid = ly * 16 + lx, of which rows and columns of other lengths are made. The mask 28 has all bits that are left.

declare i64 @__lockstep_local_id(i32)

; CHECK-LABEL: @kernel
; CHECK: %x = call range(i64 0, 16) i64 @__lockstep_local_id(i32 0)
; CHECK: %y = call range(i64 0, 8) i64 @__lockstep_local_id(i32 1)
; CHECK-NOT: lshr
; CHECK: %column = trunc i64 %x to i32
; CHECK: [[Y:%.*]] = trunc i64 %y to i32
; CHECK-NEXT: %rows.of.16 = mul i32 [[Y]], 4
; CHECK: %number.of.row = trunc i64 %y to i32
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

; Rows of 48, in signed and in narrow arithmetic.
; CHECK-LABEL: @rows_of_48
; CHECK-NOT: {{div|rem}}
; CHECK: %a = add i32 %x, %y
; CHECK: %b = add i32 %y, %a
; CHECK: add i32 %y, %b
define i32 @rows_of_48() "lockstep-sub-group-size"="16" {
  %x = call range(i32 0, 48) i32 @__lockstep_local_id.32(i32 0)
  %y = call range(i32 0, 8) i32 @__lockstep_local_id.32(i32 1)
  %row = mul nuw nsw i32 %y, 48
  %tid = add nuw nsw i32 %row, %x
  %column = urem i32 %tid, 48
  %number = udiv i32 %tid, 48
  %signed = sdiv i32 %tid, 48
  %a = add i32 %column, %number
  %b = add i32 %signed, %a
  %narrow = trunc nuw nsw i32 %tid to i16
  %narrow.number = udiv i16 %narrow, 48
  %wide = zext nneg i16 %narrow.number to i32
  %c = add i32 %wide, %b
  ret i32 %c
}

declare i32 @__lockstep_local_id.32(i32)
