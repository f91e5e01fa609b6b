; RUN: env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes=hide-float-bits %s | FileCheck %s
; RUN: env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes=hide-float-bits %s | llc -O3 -mcpu=x86-64-v4 | FileCheck %s --check-prefix=CODE
; RUN: env LOCKSTEP_CPU=haswell lockstep-opt -passes=hide-float-bits %s | FileCheck %s --check-prefix=WITHOUT
; Without the pass, the code generator can select none of the first five functions (llvm_still_needs_it.ll).
; WITHOUT-NOT: call{{.*}}pternlog
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @product(
; CHECK: [[BITS:%.*]] = bitcast <8 x float> %a to <8 x i32>
; CHECK: [[APART:%.*]] = call <8 x i32> @llvm.x86.avx512.pternlog.d.256(<8 x i32> [[BITS]], <8 x i32> [[BITS]], <8 x i32> [[BITS]], i32 170)
; CHECK: zext <8 x i32> [[APART]] to <8 x i64>
; CODE-LABEL: product:
; CODE: vpmuludq
define <4 x i64> @product(<8 x float> %a, <8 x i64> %b) {
  %bits = bitcast <8 x float> %a to <8 x i32>
  %wide = zext <8 x i32> %bits to <8 x i64>
  %low = and <8 x i64> %b, splat (i64 4294967295)
  %product = mul <8 x i64> %low, %wide
  %half = shufflevector <8 x i64> %product, <8 x i64> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  ret <4 x i64> %half
}

; As a random kernel had it (seed 291000965).
; CHECK-LABEL: @one_lane(
; CHECK: call <8 x i32> @llvm.x86.avx512.pternlog.d.256
; CODE-LABEL: one_lane:
; CODE: ret
define i32 @one_lane(<8 x float> %a) {
  %first = insertelement <8 x i64> zeroinitializer, i64 1, i64 0
  %bits = bitcast <8 x float> %a to <8 x i32>
  %wide = zext <8 x i32> %bits to <8 x i64>
  %product = mul <8 x i64> %first, %wide
  %shifted = lshr <8 x i64> %product, splat (i64 1)
  %narrow = trunc <8 x i64> %shifted to <8 x i32>
  %difference = call <8 x i32> @llvm.usub.sat.v8i32(<8 x i32> splat (i32 1), <8 x i32> %narrow)
  %result = extractelement <8 x i32> %difference, i64 0
  ret i32 %result
}

; The sign's extension becomes one by zeros, as the product needs 32 bits only. Doubles have bits as well.
; CHECK-LABEL: @of_sign(
; CHECK: [[APART:%.*]] = call <8 x i32> @llvm.x86.avx512.pternlog.d.256
; CHECK: sext <8 x i32> [[APART]] to <8 x i64>
; CODE-LABEL: of_sign:
; CODE: vpmuldq
define <4 x i64> @of_sign(<4 x double> %a, <8 x i64> %b) {
  %bits = bitcast <4 x double> %a to <8 x i32>
  %wide = sext <8 x i32> %bits to <8 x i64>
  %above = shl <8 x i64> %b, splat (i64 32)
  %low = ashr <8 x i64> %above, splat (i64 32)
  %product = mul <8 x i64> %low, %wide
  %half = shufflevector <8 x i64> %product, <8 x i64> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  ret <4 x i64> %half
}

; A half of what was read as integers.
; CHECK-LABEL: @upper(
; CHECK: call <8 x i32> @llvm.x86.avx512.pternlog.d.256
; CODE-LABEL: upper:
; CODE: vpmuludq
define <4 x i64> @upper(<16 x float> %a, <8 x i64> %b) {
  %all = bitcast <16 x float> %a to <16 x i32>
  %bits = shufflevector <16 x i32> %all, <16 x i32> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %wide = zext <8 x i32> %bits to <8 x i64>
  %low = and <8 x i64> %b, splat (i64 4294967295)
  %product = mul <8 x i64> %low, %wide
  %half = shufflevector <8 x i64> %product, <8 x i64> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  ret <4 x i64> %half
}

; More than a register: in parts.
; CHECK-LABEL: @parts(
; CHECK-COUNT-2: call <16 x i32> @llvm.x86.avx512.pternlog.d.512
; CHECK-NOT: call{{.*}}pternlog
; CODE-LABEL: parts:
; CODE: vpmuludq
define <4 x i64> @parts(<32 x float> %a, <32 x i64> %b) {
  %bits = bitcast <32 x float> %a to <32 x i32>
  %wide = zext <32 x i32> %bits to <32 x i64>
  %low = and <32 x i64> %b, splat (i64 4294967295)
  %product = mul <32 x i64> %low, %wide
  %half = shufflevector <32 x i64> %product, <32 x i64> poison, <4 x i32> <i32 8, i32 9, i32 10, i32 11>
  ret <4 x i64> %half
}

; Of other widths: half of the registers' bytes, and parts of a register.
; CHECK-LABEL: @bytes(
; CHECK: [[WORDS:%.*]] = bitcast <32 x i8> %bits to <8 x i32>
; CHECK: call <8 x i32> @llvm.x86.avx512.pternlog.d.256(<8 x i32> [[WORDS]]
; CODE-LABEL: bytes:
; CODE: vpmovzxbw
define <32 x i16> @bytes(<8 x float> %a) {
  %bits = bitcast <8 x float> %a to <32 x i8>
  %wide = zext <32 x i8> %bits to <32 x i16>
  ret <32 x i16> %wide
}

; CHECK-LABEL: @more_than_one(
; CHECK: call <16 x i32> @llvm.x86.avx512.pternlog.d.512
; CHECK: call <8 x i32> @llvm.x86.avx512.pternlog.d.256
; CHECK: call <4 x i32> @llvm.x86.avx512.pternlog.d.128
; CHECK-NOT: call{{.*}}pternlog
; CODE-LABEL: more_than_one:
; CODE: vpmovsxdq
define <28 x i64> @more_than_one(<28 x float> %a) {
  %bits = bitcast <28 x float> %a to <28 x i32>
  %wide = sext <28 x i32> %bits to <28 x i64>
  ret <28 x i64> %wide
}

; Integers, loads of integers, and less than 256 bits stay as they are.
; CHECK-LABEL: @others(
; CHECK-NOT: call{{.*}}pternlog
define <8 x i64> @others(<8 x i32> %a, <4 x float> %b, ptr %p, <8 x float> %c) {
  %wide = zext <8 x i32> %a to <8 x i64>
  %few = bitcast <4 x float> %b to <4 x i32>
  %few.wide = zext <4 x i32> %few to <4 x i64>
  %loaded = load <8 x i32>, ptr %p
  %loaded.wide = sext <8 x i32> %loaded to <8 x i64>
  %bits = bitcast <8 x float> %c to <8 x i32>
  %magnitude = and <8 x i32> %bits, splat (i32 2147483647)
  %magnitude.wide = zext <8 x i32> %magnitude to <8 x i64>
  %few.all = shufflevector <4 x i64> %few.wide, <4 x i64> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 0, i32 1, i32 2, i32 3>
  %s0 = add <8 x i64> %wide, %few.all
  %s1 = add <8 x i64> %loaded.wide, %s0
  %s2 = add <8 x i64> %magnitude.wide, %s1
  ret <8 x i64> %s2
}
declare <8 x i32> @llvm.usub.sat.v8i32(<8 x i32>, <8 x i32>)
