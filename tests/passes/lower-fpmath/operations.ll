; RUN: lockstep-opt -nvidia=sm_90 -passes=lower-fpmath %s | FileCheck %s
; OpenCL's precision of float is that of the approximate instructions. Functions that flush subnormal numbers do it here, too.

; CHECK-LABEL: @keeps_subnormals(
; CHECK-NEXT: [[A:%.*]] = call float @llvm.nvvm.div.full(float %x, float %y)
; CHECK-NEXT: [[B:%.*]] = fdiv afn float 1.000000e+00, %y
; CHECK-NEXT: [[C:%.*]] = call float @llvm.nvvm.sqrt.approx.f(float %x)
; CHECK-NEXT: [[D:%.*]] = call float @llvm.nvvm.rsqrt.approx.f(float %x)
define float @keeps_subnormals(float %x, float %y) {
  %a = fdiv float %x, %y, !fpmath !0
  %b = fdiv float 1.0, %y, !fpmath !0
  %c = call float @llvm.sqrt.f32(float %x), !fpmath !1
  %d = call float @llvm.nvvm.rsqrt.approx.f(float %x)
  %ab = fadd float %a, %b
  %cd = fadd float %c, %d
  %sum = fadd float %ab, %cd
  ret float %sum
}
; CHECK-LABEL: @flushes(
; CHECK-NEXT: call float @llvm.nvvm.div.full.ftz(float %x, float %y)
; CHECK-NEXT: call float @llvm.nvvm.sqrt.approx.ftz.f(float %x)
; CHECK-NEXT: call float @llvm.nvvm.rsqrt.approx.ftz.f(float %x)
define float @flushes(float %x, float %y) "denormal-fp-math-f32"="preserve-sign,preserve-sign" {
  %a = fdiv float %x, %y, !fpmath !0
  %c = call float @llvm.sqrt.f32(float %x), !fpmath !1
  %d = call float @llvm.nvvm.rsqrt.approx.f(float %x)
  %ac = fadd float %a, %c
  %sum = fadd float %ac, %d
  ret float %sum
}
; CHECK-LABEL: @vectors(
; CHECK: [[X:%.*]] = extractelement <2 x float> %x, i64 1
; CHECK: [[Y:%.*]] = extractelement <2 x float> %y, i64 1
; CHECK: call float @llvm.nvvm.div.full(float [[X]], float [[Y]])
define <2 x float> @vectors(<2 x float> %x, <2 x float> %y) {
  %a = fdiv <2 x float> %x, %y, !fpmath !0
  ret <2 x float> %a
}
declare float @llvm.sqrt.f32(float)
declare float @llvm.nvvm.rsqrt.approx.f(float)
!0 = !{float 2.5}
!1 = !{float 3.0}
