; RUN: not --crash llc -O3 -mcpu=x86-64-v4 %s -o /dev/null 2>&1 | FileCheck %s
; LLVM without the pass; with it, the same is a multiplication of four elements (extended.ll). A failure here means that LLVM
; no longer needs hide-float-bits.
;
; For a report upstream: combineEXTRACT_SUBVECTOR turns extract_subvector(v8i64 zero_extend(v8i32 X), 0) into
; v4i64 zero_extend_vector_inreg(v8i32 X) after operations have been legalized. Its operand should be
; extract_subvector(X, 0) of 128 bits: no pattern has an operand of 256. With X of integers, combineEXTEND_VECTOR_INREG mends
; that as combineX86ShufflesRecursively makes the same extension anew; where X is a bitcast of floating point (FloatDomain),
; it does not.
target triple = "x86_64-unknown-linux-gnu"

; CHECK: Cannot select: {{.*}}: v4i64 = zero_extend_vector_inreg
define <4 x i64> @product(<8 x float> %a, <8 x i64> %b) {
  %bits = bitcast <8 x float> %a to <8 x i32>
  %wide = zext <8 x i32> %bits to <8 x i64>
  %low = and <8 x i64> %b, splat (i64 4294967295)
  %product = mul <8 x i64> %low, %wide
  %half = shufflevector <8 x i64> %product, <8 x i64> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  ret <4 x i64> %half
}
