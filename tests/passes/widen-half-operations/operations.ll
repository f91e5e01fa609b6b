; RUN: env LOCKSTEP_CPU=x86-64-v3 lockstep-opt -passes=widen-half-operations %s | FileCheck %s
; RUN: env LOCKSTEP_CPU=x86-64-v3 lockstep-opt -passes=widen-half-operations %s | llc -O3 -mcpu=x86-64-v3 | FileCheck %s --check-prefix=CODE
; Operations on halves become operations on floats that are rounded once; what the code generator widens itself stays.
target triple = "x86_64-unknown-linux-gnu"

; CODE-NOT: call
; CODE-NOT: {{v(sqrt|fmadd|max|cvtsd2).*s[sd]}}

; CHECK-LABEL: @root
; CHECK: %[[WIDE:.*]] = fpext nnan <8 x half> %x to <8 x float>
; CHECK: %[[ROOT:.*]] = call nnan <8 x float> @llvm.sqrt.v8f32(<8 x float> %[[WIDE]])
; CHECK: fptrunc nnan <8 x float> %[[ROOT]] to <8 x half>
define <8 x half> @root(<8 x half> %x) {
  %r = call nnan <8 x half> @llvm.sqrt.v8f16(<8 x half> %x)
  ret <8 x half> %r
}

; CHECK-LABEL: @larger
; CHECK: call <8 x float> @llvm.maxnum.v8f32(
define <8 x half> @larger(<8 x half> %x, <8 x half> %y) {
  %r = call <8 x half> @llvm.maxnum.v8f16(<8 x half> %x, <8 x half> %y)
  ret <8 x half> %r
}

; The sum is rounded to odd: what it lost decides.
; CHECK-LABEL: @fused
; CHECK: %[[PRODUCT:.*]] = fmul <8 x float>
; CHECK: %[[SUM:.*]] = fadd <8 x float> %[[PRODUCT]],
; CHECK: %[[LOST:.*]] = fadd <8 x float>
; CHECK: %[[INEXACT:.*]] = fcmp one <8 x float> %[[LOST]], zeroinitializer
; CHECK: %[[ODD:.*]] = or <8 x i32> %{{.*}}, splat (i32 1)
; CHECK: select <8 x i1> %[[INEXACT]], <8 x i32> %[[ODD]],
; CHECK: fptrunc <8 x float> %{{.*}} to <8 x half>
define <8 x half> @fused(<8 x half> %x, <8 x half> %y, <8 x half> %z) {
  %r = call <8 x half> @llvm.fma.v8f16(<8 x half> %x, <8 x half> %y, <8 x half> %z)
  ret <8 x half> %r
}

; CHECK-LABEL: @may_be_fused
; CHECK: %[[PRODUCT:.*]] = fmul <8 x half> %x, %y
; CHECK: fadd <8 x half> %[[PRODUCT]], %z
define <8 x half> @may_be_fused(<8 x half> %x, <8 x half> %y, <8 x half> %z) {
  %r = call <8 x half> @llvm.fmuladd.v8f16(<8 x half> %x, <8 x half> %y, <8 x half> %z)
  ret <8 x half> %r
}

; CHECK-LABEL: @from_double
; CHECK: fptrunc <4 x double> %x to <4 x float>
; CHECK: fcmp one <4 x double>
; CHECK: fptrunc <4 x float> %{{.*}} to <4 x half>
define <4 x half> @from_double(<4 x double> %x) {
  %r = fptrunc <4 x double> %x to <4 x half>
  ret <4 x half> %r
}

; CHECK-LABEL: @one
; CHECK: call float @llvm.floor.f32(
define half @one(half %x) {
  %r = call half @llvm.floor.f16(half %x)
  ret half %r
}

; CHECK-LABEL: @stays
; CHECK: fadd <8 x half>
; CHECK: @llvm.fabs.v8f16
; CHECK: fptrunc <8 x float>
; CHECK: call <8 x float> @llvm.sqrt.v8f32(<8 x float> %y)
define <8 x half> @stays(<8 x half> %x, <8 x float> %y) {
  %sum = fadd <8 x half> %x, %x
  %size = call <8 x half> @llvm.fabs.v8f16(<8 x half> %sum)
  %near = fptrunc <8 x float> %y to <8 x half>
  %root = call <8 x float> @llvm.sqrt.v8f32(<8 x float> %y)
  %near.root = fptrunc <8 x float> %root to <8 x half>
  %r = fmul <8 x half> %size, %near
  %s = fmul <8 x half> %r, %near.root
  ret <8 x half> %s
}
