; RUN: lockstep-opt -nvidia=sm_90 -passes=lower-fpmath %s | FileCheck %s
; Without !fpmath (-cl-fp32-correctly-rounded-divide-sqrt), for double, and where LLVM approximates by itself.

; CHECK-LABEL: @others(
; CHECK-NEXT: fdiv float %x, %y{{$}}
; CHECK-NEXT: call float @llvm.sqrt.f32(float %x){{$}}
; CHECK-NEXT: fdiv afn float %x, %y
; CHECK-NEXT: fdiv double %z, %z
define void @others(float %x, float %y, double %z) {
  %a = fdiv float %x, %y
  %b = call float @llvm.sqrt.f32(float %x)
  %c = fdiv afn float %x, %y, !fpmath !0
  %d = fdiv double %z, %z, !fpmath !0
  ret void
}
declare float @llvm.sqrt.f32(float)
!0 = !{float 2.5}
