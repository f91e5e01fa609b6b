; RUN: lockstep-opt -nvidia=sm_90 -passes=share-products %s | FileCheck %s
; Other factors, products in two branches, and a product without its negation stay as they are.

; CHECK-LABEL: @others(
; CHECK: %minus = fneg float %b
; CHECK-NEXT: %negated = fmul float %b, %minus
; CHECK-NEXT: %other = fmul float %a, %b
define float @others(float %a, float %b) {
  %minus = fneg float %b
  %negated = fmul float %b, %minus
  %other = fmul float %a, %b
  %sum = fadd float %negated, %other
  ret float %sum
}
; CHECK-LABEL: @branches(
; CHECK: %product = fmul float %a, %b
; CHECK: %negated = fmul float %a, %minus
define float @branches(float %a, float %b, i1 %which) {
  br i1 %which, label %one, label %two
one:
  %product = fmul float %a, %b
  ret float %product
two:
  %minus = fneg float %b
  %negated = fmul float %a, %minus
  ret float %negated
}
