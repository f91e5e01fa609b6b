; RUN: lockstep-opt -passes=simplify-indices %s | FileCheck %s

declare i64 @__lockstep_local_id(i32)

; Both summands have bits that are used.
; CHECK-LABEL: @both
; CHECK: %r = and i64 %tid, 31
define i64 @both() "lockstep-sub-group-size"="16" {
  %x = call range(i64 0, 16) i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %row = shl i64 %y, 4
  %tid = or disjoint i64 %row, %x
  %r = and i64 %tid, 31
  ret i64 %r
}

; It may carry: 8 * y + x with x up to 15.
; CHECK-LABEL: @carries
; CHECK: %r = lshr i64 %tid, 4
; CHECK: %low = and i64 %tid, 15
define i64 @carries() "lockstep-sub-group-size"="16" {
  %x = call range(i64 0, 16) i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %row = shl i64 %y, 3
  %tid = add i64 %row, %x
  %r = lshr i64 %tid, 4
  %low = and i64 %tid, 15
  %s = add i64 %r, %low
  ret i64 %s
}

; The local size is not known, so neither is how large a local id may be.
; CHECK-LABEL: @unknown
; CHECK: %r = and i64 %tid, 15
; CHECK: %s = ashr i64 %tid, 4
define i64 @unknown() "lockstep-sub-group-size"="16" {
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %row = mul i64 %y, 24
  %tid = add i64 %row, %x
  %r = and i64 %tid, 15
  %s = ashr i64 %tid, 4
  %t = add i64 %r, %s
  ret i64 %t
}

; The sum may wrap, so its quotient is not the one of the summands; or rows are longer than 24.
; CHECK-LABEL: @wraps
; CHECK: %number = udiv i32 %tid, 48
; CHECK: %half = urem i32 %exact, 24
define i32 @wraps(i32 %y) "lockstep-sub-group-size"="16" {
  %x = call range(i64 0, 48) i64 @__lockstep_local_id(i32 0)
  %narrow = trunc nuw nsw i64 %x to i32
  %row = mul i32 %y, 48
  %tid = add i32 %row, %narrow
  %number = udiv i32 %tid, 48
  %exact.row = mul nuw nsw i32 %y, 48
  %exact = add nuw nsw i32 %exact.row, %narrow
  %half = urem i32 %exact, 24
  %s = add i32 %number, %half
  ret i32 %s
}
