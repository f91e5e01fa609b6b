; RUN: lockstep-opt -passes=guard-integer-division %s | FileCheck %s

; CHECK-LABEL: @by_constant
; CHECK-NEXT: %q = sdiv i32 %a, 7
; CHECK-NEXT: %u = udiv i32 %q, -1
; CHECK-NEXT: %f = fdiv float %x, 0.000000e+00
define i32 @by_constant(i32 %a, float %x) {
  %q = sdiv i32 %a, 7
  %u = udiv i32 %q, -1
  %f = fdiv float %x, 0.0
  ret i32 %u
}

; CHECK-LABEL: @vector_by_constant
; CHECK-NEXT: sdiv <2 x i32> %a, <i32 7, i32 3>
define <2 x i32> @vector_by_constant(<2 x i32> %a) {
  %q = sdiv <2 x i32> %a, <i32 7, i32 3>
  ret <2 x i32> %q
}

; One lane of the divisor is -1.
; CHECK-LABEL: @vector_with_a_bad_lane
; CHECK: select <2 x i1>
define <2 x i32> @vector_with_a_bad_lane(<2 x i32> %a) {
  %q = sdiv <2 x i32> %a, <i32 7, i32 -1>
  ret <2 x i32> %q
}
