; RUN: env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes=lower-reciprocal-sqrt %s | FileCheck %s
; RUN: env LOCKSTEP_CPU=haswell lockstep-opt -passes=lower-reciprocal-sqrt %s | FileCheck %s --check-prefix=DIVIDES
; The estimate of AVX-512 and a step of Newton's method, unless the estimate was exact; other processors divide.

; CHECK-LABEL: @alone
; CHECK: [[FOUR:%.*]] = insertelement <4 x float> zeroinitializer, float %x, i64 0
; CHECK: call <4 x float> @llvm.x86.avx512.rsqrt14.ps.128(<4 x float> [[FOUR]], <4 x float> zeroinitializer, i8 -1)
; CHECK: [[FIRST:%.*]] = extractelement <4 x float>
; CHECK: [[WRONG:%.*]] = call float @llvm.fma.f32(float {{.*}}, float [[FIRST]], float 1.000000e+00)
; CHECK: [[SECOND:%.*]] = call float @llvm.fma.f32(float {{.*}}, float [[WRONG]], float [[FIRST]])
; CHECK: fcmp ord float [[WRONG]], [[WRONG]]
; CHECK: [[RESULT:%.*]] = select i1 {{.*}}, float [[SECOND]], float [[FIRST]]
; CHECK: ret float [[RESULT]]
define float @alone(float %x) {
  %y = call float @__lockstep_reciprocal_sqrt(float %x)
  ret float %y
}

; DIVIDES: [[ROOT:%.*]] = call float @llvm.sqrt.f32(float %x)
; DIVIDES: [[RESULT:%.*]] = fdiv float 1.000000e+00, [[ROOT]]
; DIVIDES: ret float [[RESULT]]

; CHECK-NOT: call float @__lockstep_reciprocal_sqrt
declare float @__lockstep_reciprocal_sqrt(float) nounwind willreturn memory(none)
