; RUN: llc -mcpu=x86-64-v4 %s -o - | FileCheck %s
; LLVM without the pass: where the mask holds, ymm1 ^ (memory & (ymm0 ^ ymm1)) instead of ymm0 ^ (ymm1 & (ymm0 ^ memory)).
; A failure here means that LLVM no longer needs keep-loads-out-of-logic. Upstream: llvm/llvm-project#157929, mended in
; LLVM 23.

; CHECK-LABEL: merge:
; CHECK: vpternlogd $228, (%rdi), %ymm1, %ymm0 {%k1}
target triple = "x86_64-unknown-linux-gnu"

define <8 x i32> @merge(<8 x i1> %mask, ptr %p, i32 %one) {
  %loaded = load <8 x i32>, ptr %p
  %first = insertelement <8 x i32> poison, i32 %one, i64 0
  %all = shufflevector <8 x i32> %first, <8 x i32> poison, <8 x i32> zeroinitializer
  %differs = xor <8 x i32> %loaded, %all
  %bit = and <8 x i32> %differs, splat (i32 1)
  %taken = select <8 x i1> %mask, <8 x i32> %bit, <8 x i32> zeroinitializer
  %result = xor <8 x i32> %taken, %all
  ret <8 x i32> %result
}

; The same with a constant: where the mask holds, xmm0 ^ (xmm1 & (xmm0 ^ constant)) instead of
; xmm1 ^ (constant & (xmm0 ^ xmm1)).
; CHECK-LABEL: constant:
; CHECK: vpternlogd $184, {{.*}}(%rip){1to4}, %xmm1, %xmm0 {%k1}
define <4 x i32> @constant(<4 x i32> %a, <4 x i32> %b, <4 x i1> %mask) {
  %of_a = and <4 x i32> %a, splat (i32 21)
  %of_b = and <4 x i32> %b, splat (i32 -22)
  %both = or disjoint <4 x i32> %of_a, %of_b
  %result = select <4 x i1> %mask, <4 x i32> %both, <4 x i32> %a
  ret <4 x i32> %result
}
