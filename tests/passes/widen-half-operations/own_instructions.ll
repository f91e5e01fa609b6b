; RUN: env LOCKSTEP_CPU=sapphirerapids lockstep-opt -passes=widen-half-operations %s | FileCheck %s
; Processors that compute with halves do.
target triple = "x86_64-unknown-linux-gnu"

; CHECK-NOT: float
define <8 x half> @all(<8 x half> %x, <8 x half> %y, <8 x double> %z) {
  %root = call <8 x half> @llvm.sqrt.v8f16(<8 x half> %x)
  %near = fptrunc <8 x double> %z to <8 x half>
  %r = call <8 x half> @llvm.fma.v8f16(<8 x half> %root, <8 x half> %y, <8 x half> %near)
  ret <8 x half> %r
}
