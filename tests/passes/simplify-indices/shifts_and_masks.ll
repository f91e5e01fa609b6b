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
