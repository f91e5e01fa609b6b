; RUN: lockstep-opt -passes=extend-early %s | FileCheck %s
; RUN: lockstep-opt -passes='function(extend-early,instcombine)' %s | FileCheck %s --check-prefix=THEN
; 3 * i + 1 of an int that is a part of an id: the part is extended, and the rest cannot wrap.

target datalayout = "e-m:e-i64:64-n8:16:32:64"

; CHECK-LABEL: @third
; CHECK: [[I:%.*]] = sext i32 %i to i64
; CHECK: [[THREE:%.*]] = mul nsw i64 [[I]], 3
; CHECK: %place = add nsw i64 [[THREE]], 1
; THEN-LABEL: @third
; THEN: [[I:%.*]] = ashr exact i64 {{.*}}, 32
; THEN: [[THREE:%.*]] = mul nsw i64 [[I]], 3
; THEN: %place = add nsw i64 [[THREE]], 1
define i64 @third(i64 %id) {
  %i = trunc i64 %id to i32
  %three = mul nsw i32 %i, 3
  %next = add nsw i32 %three, 1
  %place = sext i32 %next to i64
  ret i64 %place
}

; What may wrap, what others use, what InstCombine leaves alone as it is of 32 bits by itself, what is not signed, and a sum
; alone, which restore-casts makes good.
; CHECK-LABEL: @others
; CHECK: %a = sext i32 %wraps to i64
; CHECK: %b = sext i32 %used to i64
; CHECK: %c = sext i32 %sum to i64
; CHECK: %d = zext i32 %product to i64
; CHECK: %e = sext i32 %next to i64
define i64 @others(i64 %id, i32 %n, ptr %to) {
  %i = trunc i64 %id to i32
  %wraps = mul i32 %i, 3
  %a = sext i32 %wraps to i64
  %used = mul nsw i32 %i, 5
  store i32 %used, ptr %to
  %b = sext i32 %used to i64
  %sum = add nsw i32 %i, %n
  %c = sext i32 %sum to i64
  %product = mul nsw i32 %i, 7
  %d = zext i32 %product to i64
  %next = add nsw i32 %i, 9
  %e = sext i32 %next to i64
  %ab = add i64 %a, %b
  %cd = add i64 %c, %d
  %abcd = add i64 %ab, %cd
  %all = add i64 %abcd, %e
  ret i64 %all
}
