; RUN: env LOCKSTEP_CPU=haswell lockstep-opt -passes=expand-permutations %s | FileCheck %s
; RUN: env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes=expand-permutations %s | FileCheck %s --check-prefix=AVX512
; RUN: env LOCKSTEP_CPU=x86-64 lockstep-opt -passes=expand-permutations %s | FileCheck %s --check-prefix=MEMORY
; A permutation by a vector is one instruction where the CPU has one; by a constant, a shuffle.

; CHECK-LABEL: @variable
; CHECK: call <8 x float> @llvm.x86.avx2.permps(<8 x float> %of, <8 x i32> %by)
; MEMORY-LABEL: @variable
; MEMORY: [[MEMORY:%.*]] = alloca <8 x float>
; MEMORY: store <8 x float> %of, ptr [[MEMORY]]
; MEMORY: [[FIRST:%.*]] = extractelement <8 x i32> %by, i64 0
; MEMORY: [[AT:%.*]] = zext i32 [[FIRST]] to i64
; MEMORY: [[FROM:%.*]] = getelementptr inbounds float, ptr [[MEMORY]], i64 [[AT]]
; MEMORY: load float, ptr [[FROM]]
define <8 x float> @variable(<8 x float> %of, <8 x i32> %by) {
  %permuted = call <8 x float> @lockstep.permute.f32x8(<8 x float> %of, <8 x i32> %by)
  ret <8 x float> %permuted
}

; Four elements of 64 bits are eight of 32 where there is no other way.
; CHECK-LABEL: @in_parts
; CHECK: [[PARTS:%.*]] = bitcast <4 x i64> %by to <8 x i32>
; CHECK: [[BOTH:%.*]] = shufflevector <8 x i32> [[PARTS]], <8 x i32> poison, <8 x i32> <i32 0, i32 0, i32 2, i32 2, i32 4, i32 4, i32 6, i32 6>
; CHECK: [[TWICE:%.*]] = mul <8 x i32> [[BOTH]], splat (i32 2)
; CHECK: or <8 x i32> [[TWICE]], <i32 0, i32 1, i32 0, i32 1, i32 0, i32 1, i32 0, i32 1>
; CHECK: call <8 x float> @llvm.x86.avx2.permps
; AVX512-LABEL: @in_parts
; AVX512: call <4 x double> @llvm.x86.avx512.permvar.df.256(<4 x double> %of, <4 x i64> %by)
define <4 x double> @in_parts(<4 x double> %of, <4 x i64> %by) {
  %permuted = call <4 x double> @lockstep.permute.f64x4(<4 x double> %of, <4 x i64> %by)
  ret <4 x double> %permuted
}

; Eight bytes are eight of 32 bits.
; CHECK-LABEL: @wider
; CHECK: call <8 x float> @llvm.x86.avx2.permps
; CHECK: trunc <8 x i16> {{.*}} to <8 x i8>
; AVX512-LABEL: @wider
; AVX512: zext <8 x i8> %of to <8 x i16>
; AVX512: call <8 x i16> @llvm.x86.avx512.permvar.hi.128
define <8 x i8> @wider(<8 x i8> %of, <8 x i8> %by) {
  %permuted = call <8 x i8> @lockstep.permute.i8x8(<8 x i8> %of, <8 x i8> %by)
  ret <8 x i8> %permuted
}

; CHECK-LABEL: @constant
; CHECK: shufflevector <8 x float> %of, <8 x float> poison, <8 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6>
define <8 x float> @constant(<8 x float> %of) {
  %permuted = call <8 x float> @lockstep.permute.f32x8(<8 x float> %of, <8 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6>)
  ret <8 x float> %permuted
}

declare <8 x float> @lockstep.permute.f32x8(<8 x float>, <8 x i32>) nounwind willreturn memory(none)
declare <4 x double> @lockstep.permute.f64x4(<4 x double>, <4 x i64>) nounwind willreturn memory(none)
declare <8 x i8> @lockstep.permute.i8x8(<8 x i8>, <8 x i8>) nounwind willreturn memory(none)
