; RUN: lockstep-opt -nvidia=sm_90 -passes=share-products %s | FileCheck %s
; A product and its negation are one multiplication, whichever is first and in which block they are.

; CHECK-LABEL: @sum_first(
; CHECK: [[SQUARE:%.*]] = fmul float %b, %b
; CHECK-NEXT: call float @llvm.fmuladd.f32(float %a, float %a, float [[SQUARE]])
; CHECK: [[NEGATED:%.*]] = fneg float [[SQUARE]]
; CHECK-NEXT: call float @llvm.fmuladd.f32(float %a, float %a, float [[NEGATED]])
; CHECK-NOT: fmul
define float @sum_first(float %a, float %b) {
entry:
  %square = fmul float %b, %b
  %sum = call float @llvm.fmuladd.f32(float %a, float %a, float %square)
  %is_far = fcmp ogt float %sum, 4.0
  br i1 %is_far, label %far, label %near
near:
  %minus = fneg float %b
  %negated = fmul float %b, %minus
  %difference = call float @llvm.fmuladd.f32(float %a, float %a, float %negated)
  ret float %difference
far:
  ret float %sum
}
; CHECK-LABEL: @difference_first(
; CHECK-NEXT: [[PRODUCT:%.*]] = fmul nsz <2 x float> %y, %x
; CHECK-NEXT: [[NEGATED:%.*]] = fneg <2 x float> [[PRODUCT]]
; CHECK-NEXT: fadd <2 x float> [[NEGATED]], [[PRODUCT]]
define <2 x float> @difference_first(<2 x float> %x, <2 x float> %y) {
  %minus = fneg <2 x float> %x
  %negated = fmul nsz <2 x float> %minus, %y
  %product = fmul nsz nnan <2 x float> %y, %x
  %sum = fadd <2 x float> %negated, %product
  ret <2 x float> %sum
}
declare float @llvm.fmuladd.f32(float, float, float)
