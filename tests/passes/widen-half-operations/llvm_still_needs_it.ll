; RUN: llc -O3 -mcpu=x86-64-v4 %s -o - | FileCheck %s
; LLVM without the pass takes the vector apart. A failure here means that LLVM no longer needs widen-half-operations.
;
; For a report upstream: v16f16 sqrt, fma, fminnum and the roundings are expanded by elements where AVX512-FP16 is
; missing, although fadd and setcc of v16f16 are promoted to v16f32.
target triple = "x86_64-unknown-linux-gnu"

; CHECK-COUNT-16: vsqrtss
define <16 x half> @root(<16 x half> %x) {
  %r = call <16 x half> @llvm.sqrt.v16f16(<16 x half> %x)
  ret <16 x half> %r
}

; CHECK-COUNT-8: __truncdfhf2
define <8 x half> @from_double(<8 x double> %x) {
  %r = fptrunc <8 x double> %x to <8 x half>
  ret <8 x half> %r
}
