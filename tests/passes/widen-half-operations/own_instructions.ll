; RUN: env LOCKSTEP_CPU=sapphirerapids lockstep-opt -passes=widen-half-operations %s | FileCheck %s
; RUN: env LOCKSTEP_CPU=sapphirerapids lockstep-opt -passes=widen-half-operations %s | llc -O3 -mcpu=sapphirerapids | FileCheck %s --check-prefix=CODE
; Processors that compute with halves do, but divide by no estimate.
target triple = "x86_64-unknown-linux-gnu"

; CHECK-NOT: float
define <8 x half> @all(<8 x half> %x, <8 x half> %y, <8 x double> %z) {
  %root = call <8 x half> @llvm.sqrt.v8f16(<8 x half> %x)
  %near = fptrunc <8 x double> %z to <8 x half>
  %r = call <8 x half> @llvm.fma.v8f16(<8 x half> %root, <8 x half> %y, <8 x half> %near)
  ret <8 x half> %r
}

; CHECK: fdiv reassoc nnan ninf nsz contract afn <8 x half> %x, %y
; CODE: vdivph
; CODE-NOT: vrcpph
define <8 x half> @quotient(<8 x half> %x, <8 x half> %y) {
  %r = fdiv fast <8 x half> %x, %y
  ret <8 x half> %r
}

; CHECK-LABEL: @nearest
; CHECK: call half @llvm.roundeven.f16(half %x)
; CODE: vrndscalesh $8
; CODE: vcvttsh2si
define i32 @nearest(half %x) {
  %rounded = call half @llvm.rint.f16(half %x)
  %r = fptosi half %rounded to i32
  ret i32 %r
}
