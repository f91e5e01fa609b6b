; RUN: lockstep-opt -passes=simplify-indices %s | FileCheck %s
; InstCombine's forms of (long)((int)x + 5), of (long)((int)x - 1) times 4, and of (ulong)((uint)x + 5).

; CHECK-LABEL: @kernel
; CHECK: [[T:%.*]] = trunc i64 %x to i32
; CHECK-NEXT: [[SUM:%.*]] = add i32 [[T]], 5
; CHECK-NEXT: %next = sext i32 [[SUM]] to i64
; CHECK: [[LESS:%.*]] = add i32 {{%.*}}, -1
; CHECK-NEXT: [[WIDE:%.*]] = sext i32 [[LESS]] to i64
; CHECK-NEXT: %scaled = shl i64 [[WIDE]], 2
; CHECK: [[UNSIGNED:%.*]] = add i32 {{%.*}}, 5
; CHECK-NEXT: %uint = zext i32 [[UNSIGNED]] to i64
define i64 @kernel(i64 %x) "lockstep-sub-group-size"="16" {
  %high = shl i64 %x, 32
  %more = add i64 %high, 21474836480
  %next = ashr exact i64 %more, 32
  %less = add i64 %high, -4294967296
  %scaled = ashr exact i64 %less, 30
  %uint = lshr exact i64 %more, 32
  %a = add i64 %next, %scaled
  %b = add i64 %a, %uint
  ret i64 %b
}

; What is added is no whole number of the upper half, or the number has other bits than 32.
; CHECK-LABEL: @others
; CHECK: %low = ashr i64 %fraction, 32
; CHECK: %narrow = ashr exact i64 %sum, 48
define i64 @others(i64 %x) "lockstep-sub-group-size"="16" {
  %high = shl i64 %x, 32
  %fraction = add i64 %high, 4294967297
  %low = ashr i64 %fraction, 32
  %higher = shl i64 %x, 48
  %sum = add i64 %higher, 281474976710656
  %narrow = ashr exact i64 %sum, 48
  %a = add i64 %low, %narrow
  ret i64 %a
}

; InstCombine's form of (long)(3 * (int)x + 2 - y): each summand has a factor. LLVM does not say that the sum of 32 bits does
; not wrap.
; CHECK-LABEL: @products
; CHECK: [[THREE:%.*]] = mul i32 {{%.*}}, 3
; CHECK: [[LESS:%.*]] = sub i32 [[THREE]], {{%.*}}
; CHECK: [[PLACE:%.*]] = add i32 [[LESS]], 2
; CHECK: %place = sext i32 [[PLACE]] to i64
; CHECK: %part = ashr exact i64 %odd, 32
define i64 @products(i64 %x, i64 %y) "lockstep-sub-group-size"="16" {
  %three = mul i64 %x, 12884901888
  %next = add i64 %three, 8589934592
  %high.y = shl i64 %y, 32
  %less = sub i64 %next, %high.y
  %place = ashr exact i64 %less, 32
  %odd = mul i64 %x, 12884901889
  %part = ashr exact i64 %odd, 32
  %sum = add i64 %place, %part
  ret i64 %sum
}

; (long)(int)(x + n), where x is zero-extended: no cast of x is left.
; CHECK-LABEL: @behind_casts
; CHECK: [[N:%.*]] = trunc i64 %n to i32
; CHECK-NEXT: [[SUM:%.*]] = add i32 %x, [[N]]
; CHECK-NEXT: %place = sext i32 [[SUM]] to i64
define i64 @behind_casts(i32 %x, i64 %n) "lockstep-sub-group-size"="16" {
  %wide = zext i32 %x to i64
  %sum = add i64 %wide, %n
  %high = shl i64 %sum, 32
  %place = ashr exact i64 %high, 32
  ret i64 %place
}
