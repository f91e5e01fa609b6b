; RUN: lockstep-opt -passes=guard-integer-division %s | FileCheck %s
; OpenCL C 6.3: x / 0 and INT_MIN / -1 give an unspecified value and do not trap.

; CHECK-LABEL: @unsigned
; CHECK: %divisor.is.zero = icmp eq i32 %b, 0
; CHECK: %safe.divisor = select i1 %divisor.is.zero, i32 1, i32 %b
; CHECK: udiv i32 %a, %safe.divisor
define i32 @unsigned(i32 %a, i32 %b) {
  %q = udiv i32 %a, %b
  ret i32 %q
}

; CHECK-LABEL: @signed
; CHECK: icmp eq i32 %b, 0
; CHECK: icmp eq i32 %a, -2147483648
; CHECK: icmp eq i32 %b, -1
; CHECK: srem i32 %a, %safe.divisor
define i32 @signed(i32 %a, i32 %b) {
  %q = srem i32 %a, %b
  ret i32 %q
}

; CHECK-LABEL: @vector
; CHECK: select <4 x i1> %division.overflows, <4 x i32> splat (i32 1), <4 x i32> %b
define <4 x i32> @vector(<4 x i32> %a, <4 x i32> %b) {
  %q = sdiv <4 x i32> %a, %b
  ret <4 x i32> %q
}
