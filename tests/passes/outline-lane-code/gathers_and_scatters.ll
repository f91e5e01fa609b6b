; Gathers and scatters that the processor lacks are functions whatever their number; lanes that are not active are not
; touched. Those that it has stay, and so does one of few lanes.
; RUN: env LOCKSTEP_CPU=x86-64-v2 lockstep-opt -passes=outline-lane-code %s | FileCheck %s
; RUN: env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes=outline-lane-code %s | FileCheck --check-prefix=HAS %s
target triple = "x86_64-unknown-linux-gnu"

; HAS-NOT: @lockstep.lanes

; CHECK-LABEL: define <32 x float> @kernel
; CHECK: %[[BITS:.*]] = bitcast <32 x i1> %mask to i32
; CHECK: %[[LANES:.*]] = zext i32 %[[BITS]] to i64
; CHECK: %[[LOADED:.*]] = call <32 x float> @lockstep.lanes.masked.gather.4.f32x32.p1x32.i64(<32 x ptr addrspace(1)> %p, i64 %[[LANES]])
; CHECK: call <32 x float> @lockstep.lanes.masked.gather.4.f32x32.p1x32(<32 x ptr addrspace(1)> %p)
; CHECK: call void @lockstep.lanes.masked.scatter.4.f32x32.p1x32.i64(<32 x float> %[[LOADED]], <32 x ptr addrspace(1)> %p, i64
; CHECK: %[[OTHER:.*]] = call <32 x float> @lockstep.lanes.masked.gather
; CHECK: select <32 x i1> %mask, <32 x float> %[[OTHER]], <32 x float> %otherwise
; CHECK: call <8 x float> @llvm.masked.gather
; CHECK-LABEL: define internal <32 x float> @lockstep.lanes.masked.gather
; CHECK: icmp eq i64 %1, 0
; CHECK-NEXT: br i1 {{.*}}, label %end, label %lanes
; CHECK: load float, ptr addrspace(1) {{.*}}, align 4
; CHECK-LABEL: define internal void @lockstep.lanes.masked.scatter
; CHECK: store float {{.*}}, align 4
define <32 x float> @kernel(<32 x ptr addrspace(1)> %p, <32 x i1> %mask, <32 x float> %otherwise, <8 x ptr addrspace(1)> %few) {
  %a = call <32 x float> @llvm.masked.gather.v32f32.v32p1(<32 x ptr addrspace(1)> align 4 %p, <32 x i1> %mask, <32 x float> poison)
  %b = call <32 x float> @llvm.masked.gather.v32f32.v32p1(<32 x ptr addrspace(1)> align 4 %p, <32 x i1> splat (i1 true), <32 x float> poison)
  call void @llvm.masked.scatter.v32f32.v32p1(<32 x float> %a, <32 x ptr addrspace(1)> align 4 %p, <32 x i1> %mask)
  %c = call <32 x float> @llvm.masked.gather.v32f32.v32p1(<32 x ptr addrspace(1)> align 4 %p, <32 x i1> %mask, <32 x float> %otherwise)
  %d = call <8 x float> @llvm.masked.gather.v8f32.v8p1(<8 x ptr addrspace(1)> align 4 %few, <8 x i1> splat (i1 true), <8 x float> poison)
  %wide = shufflevector <8 x float> %d, <8 x float> poison, <32 x i32> zeroinitializer
  %e = fadd <32 x float> %b, %c
  %f = fadd <32 x float> %e, %wide
  ret <32 x float> %f
}
