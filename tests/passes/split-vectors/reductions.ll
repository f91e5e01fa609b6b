; RUN: lockstep-opt -passes=split-vectors %s | FileCheck %s
; The greatest of a vector, where NaN counts (clang's __builtin_reduce_maximum) and where it does not.

; CHECK-LABEL: @kernel
; CHECK-COUNT-3: call float @llvm.maximum.f32
; CHECK-COUNT-3: call float @llvm.maxnum.f32
; CHECK-NOT: vector
; CHECK: ret float
define float @kernel(ptr addrspace(1) %p) "lockstep-sub-group-size"="16" {
  %v = load <4 x float>, ptr addrspace(1) %p
  %one = call float @llvm.vector.reduce.fmaximum.v4f32(<4 x float> %v)
  %other = call float @llvm.vector.reduce.fmax.v4f32(<4 x float> %v)
  %sum = fadd float %one, %other
  ret float %sum
}
