; RUN: lockstep-opt -passes=split-vectors %s | FileCheck %s
; An argument that is a vector stays one: its elements are taken out one by one, the same for all lanes.

; CHECK-LABEL: @kernel
; CHECK: extractelement <3 x float> %v, i64 2
; CHECK: ret float
define float @kernel(<3 x float> %v, float %y) "lockstep-sub-group-size"="16" {
  %x = extractelement <3 x float> %v, i64 2
  %sum = fadd float %x, %y
  ret float %sum
}
