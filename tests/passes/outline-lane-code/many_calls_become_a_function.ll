; Nine times 64 calls of fma in line: a function does all 64, once for the kernel and the function that is kept beside it.
; Fast-math flags that only some of them have are nobody's.
; RUN: env LOCKSTEP_CPU=x86-64-v2 lockstep-opt -passes=outline-lane-code %s 2>&1 | FileCheck %s
; RUN: env LOCKSTEP_CPU=x86-64-v2 lockstep-opt -passes=outline-lane-code %s 2>/dev/null | llc -O3 -mcpu=x86-64-v2 | FileCheck --check-prefix=CODE %s
; RUN: env LOCKSTEP_CPU=x86-64-v3 lockstep-opt -passes=outline-lane-code %s | FileCheck --check-prefix=HAS %s
target triple = "x86_64-unknown-linux-gnu"

; CHECK: remark: lanes: 640 times that one lane does what this processor has no vector instruction for, by functions
; CHECK-LABEL: define <64 x float> @kernel
; CHECK-COUNT-9: call <64 x float> @lockstep.lanes.fma.f32x64.f32x64.f32x64.f32x64(
; CHECK: call <64 x float> @lockstep.lanes.fpext.f32x64.f16x64(<64 x half> %h)
; CHECK: fcmp olt <64 x float>
; CHECK: ret
; CHECK-LABEL: define internal <64 x float> @lockstep.lanes.fma.f32x64.f32x64.f32x64.f32x64(
; CHECK-SAME: #[[KEPT:[0-9]+]]
; CHECK-COUNT-64: call float @llvm.fma.f32(
; CHECK: ret <64 x float>
; CHECK-LABEL: define internal <64 x float> @lockstep.lanes.fpext
; CHECK-NOT: fpext
; CHECK: ret <64 x float>
; CHECK-NOT: define
; CHECK: attributes #[[KEPT]] = { noinline {{.*}}"lockstep-out-of-line"

; CODE-COUNT-64: callq fmaf
; CODE-NOT: callq {{fmaf|__extendhfsf2}}

; HAS-NOT: @lockstep.lanes
define <64 x float> @kernel(<64 x float> %v0, <64 x float> %b, <64 x float> %c, <64 x half> %h, ptr %p) {
  %v1 = call <64 x float> @llvm.fma.v64f32(<64 x float> %v0, <64 x float> %b, <64 x float> %c)
  %v2 = call <64 x float> @llvm.fma.v64f32(<64 x float> %v1, <64 x float> %b, <64 x float> %c)
  %v3 = call <64 x float> @llvm.fma.v64f32(<64 x float> %v2, <64 x float> %b, <64 x float> %c)
  %v4 = call <64 x float> @llvm.fma.v64f32(<64 x float> %v3, <64 x float> %b, <64 x float> %c)
  %v5 = call <64 x float> @llvm.fma.v64f32(<64 x float> %v4, <64 x float> %b, <64 x float> %c)
  %v6 = call <64 x float> @llvm.fma.v64f32(<64 x float> %v5, <64 x float> %b, <64 x float> %c)
  %v7 = call <64 x float> @llvm.fma.v64f32(<64 x float> %v6, <64 x float> %b, <64 x float> %c)
  %v8 = call <64 x float> @llvm.fma.v64f32(<64 x float> %v7, <64 x float> %b, <64 x float> %c)
  %v9 = call nnan <64 x float> @llvm.fma.v64f32(<64 x float> %v8, <64 x float> %b, <64 x float> %c)
  %less = fcmp olt <64 x half> %h, zeroinitializer
  store <64 x i1> %less, ptr %p
  ret <64 x float> %v9
}
