; RUN: lockstep-opt -nvidia=sm_90 -passes=lower-fpmath %s | FileCheck %s
; Exponentials and logarithms of float are those of the special function unit. LLVM cannot select its own intrinsics.

; CHECK-LABEL: @native(
; CHECK-NEXT: [[A:%.*]] = fmul float %x, 0x3FF7154760000000
; CHECK-NEXT: call float @llvm.nvvm.ex2.approx.ftz.f32(float [[A]])
; CHECK-NEXT: [[B:%.*]] = call float @llvm.nvvm.lg2.approx.ftz.f(float %x)
; CHECK-NEXT: fmul float [[B]], 0x3FE62E4300000000
; CHECK-NEXT: call float @llvm.nvvm.lg2.approx.ftz.f(float %x)
; CHECK-NOT: @llvm.log10
; CHECK: call double @llvm.exp.f64(double %z)
define void @native(float %x, <2 x float> %y, double %z) {
  %a = call float @llvm.exp.f32(float %x)
  %b = call float @llvm.log.f32(float %x)
  %c = call float @llvm.log2.f32(float %x)
  %d = call <2 x float> @llvm.log10.v2f32(<2 x float> %y)
  %e = call double @llvm.exp.f64(double %z)
  ret void
}
declare float @llvm.exp.f32(float)
declare float @llvm.log.f32(float)
declare float @llvm.log2.f32(float)
declare <2 x float> @llvm.log10.v2f32(<2 x float>)
declare double @llvm.exp.f64(double)
