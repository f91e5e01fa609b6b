; RUN: lockstep-opt -passes=simplify-indices %s | FileCheck %s
; InstCombine's forms of (long)(int)x, of the same times 4, and of (ulong)(uint)x; another shift stays.

; CHECK: [[T:%.*]] = trunc i64 %x to i32
; CHECK: %int = sext i32 [[T]] to i64
; CHECK: [[S:%.*]] = sext i32 {{%.*}} to i64
; CHECK: %scaled = shl i64 [[S]], 2
; CHECK: %uint = zext i32 {{%.*}} to i64
; CHECK: %other = ashr i64 %x, 3
define i64 @kernel(i64 %x) "lockstep-sub-group-size"="16" {
  %high = shl i64 %x, 32
  %int = ashr exact i64 %high, 32
  %scaled = ashr exact i64 %high, 30
  %uint = and i64 %x, 4294967295
  %other = ashr i64 %x, 3
  %a = add i64 %int, %scaled
  %b = add i64 %a, %uint
  %c = add i64 %b, %other
  ret i64 %c
}

; 4 times (ulong)(uint)x, and 8 times (ulong)(uint)(x + 3 * y + 1): the masks have the bits of an index of 32 bits.
; CHECK-LABEL: @multiples
; CHECK: [[X:%.*]] = trunc i64 %x to i32
; CHECK: [[WIDE:%.*]] = zext i32 [[X]] to i64
; CHECK: %bytes = shl i64 [[WIDE]], 2
; CHECK: [[SUM:%.*]] = add i32 {{%.*}}, 1
; CHECK: [[WIDE_SUM:%.*]] = zext i32 [[SUM]] to i64
; CHECK: %bytes.of.sum = shl i64 [[WIDE_SUM]], 3
define i64 @multiples(i64 %x, i64 %y) "lockstep-sub-group-size"="16" {
  %four = shl i64 %x, 2
  %bytes = and i64 %four, 17179869180
  %eight = shl i64 %x, 3
  %more = mul i64 %y, 24
  %sum = add i64 %eight, %more
  %next = add i64 %sum, 8
  %bytes.of.sum = and i64 %next, 34359738360
  %all = add i64 %bytes, %bytes.of.sum
  ret i64 %all
}

; Not a multiple of 4; too few bits.
; CHECK-LABEL: @other_masks
; CHECK: %odd = and i64 %twice, 17179869180
; CHECK: %short = and i64 %four, 262140
define i64 @other_masks(i64 %x) "lockstep-sub-group-size"="16" {
  %twice = shl i64 %x, 1
  %odd = and i64 %twice, 17179869180
  %four = shl i64 %x, 2
  %short = and i64 %four, 262140
  %all = add i64 %odd, %short
  ret i64 %all
}
