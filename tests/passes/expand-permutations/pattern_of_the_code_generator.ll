; RUN: lockstep-opt -passes=expand-permutations %s | FileCheck %s
; RUN: lockstep-opt -passes=expand-permutations %s | llc -mcpu=haswell | FileCheck %s --check-prefix=CODE
; A permutation by a vector is one instruction in the end; by a constant, a shuffle.

; CHECK-LABEL: @variable
; CHECK: [[ZERO:%.*]] = extractelement <8 x i32> %by, i64 0
; CHECK: [[OF:%.*]] = extractelement <8 x float> %of, i32 [[ZERO]]
; CHECK: insertelement <8 x float> poison, float [[OF]], i64 0
; CHECK-NOT: call
; CODE-LABEL: variable:
; CODE: vpermps
; CODE-NOT: vinsert
define <8 x float> @variable(<8 x float> %of, <8 x i32> %by) {
  %permuted = call <8 x float> @lockstep.permute.f32x8(<8 x float> %of, <8 x i32> %by)
  ret <8 x float> %permuted
}

; CHECK-LABEL: @constant
; CHECK: shufflevector <8 x float> %of, <8 x float> poison, <8 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6>
define <8 x float> @constant(<8 x float> %of) {
  %permuted = call <8 x float> @lockstep.permute.f32x8(<8 x float> %of, <8 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6>)
  ret <8 x float> %permuted
}

declare <8 x float> @lockstep.permute.f32x8(<8 x float>, <8 x i32>) nounwind willreturn memory(none)
