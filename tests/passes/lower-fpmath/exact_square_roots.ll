; RUN: lockstep-opt -nvidia=sm_90 -passes=lower-fpmath %s | FileCheck %s
; libclc's square roots have !fpmath, also in programs built with -cl-fp32-correctly-rounded-divide-sqrt.

; CHECK-LABEL: @root(
; CHECK-NEXT: call float @llvm.sqrt.f32(float %x)
define float @root(float %x) {
  %y = call float @llvm.sqrt.f32(float %x), !fpmath !1
  ret float %y
}
declare float @llvm.sqrt.f32(float)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"lockstep-exact-sqrt", i32 1}
!1 = !{float 3.0}
