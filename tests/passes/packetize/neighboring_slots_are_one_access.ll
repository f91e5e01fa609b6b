; RUN: lockstep-opt -passes=packetize %s | FileCheck %s
; The real and imaginary parts of complex numbers: one wide load, two shuffles, one wide store.

; CHECK-LABEL: @kernel
; CHECK: [[WIDE:%.*]] = load <8 x float>, ptr addrspace(1) %re.place
; CHECK: shufflevector <8 x float> [[WIDE]], <8 x float> poison, <4 x i32> <i32 0, i32 2, i32 4, i32 6>
; CHECK: shufflevector <8 x float> [[WIDE]], <8 x float> poison, <4 x i32> <i32 1, i32 3, i32 5, i32 7>
; CHECK: [[BOTH:%.*]] = shufflevector <8 x float> {{.*}} <8 x i32> <i32 4, i32 0, i32 5, i32 1, i32 6, i32 2, i32 7, i32 3>
; CHECK: store <8 x float> [[BOTH]], ptr addrspace(1)
; CHECK-NOT: load
; CHECK-NOT: store
define void @kernel(ptr addrspace(1) %p) "lockstep-sub-group-size"="4" {
  %lane = call i64 @__lockstep_lane()
  %re.place = getelementptr { float, float }, ptr addrspace(1) %p, i64 %lane
  %im.place = getelementptr { float, float }, ptr addrspace(1) %p, i64 %lane, i32 1
  %re = load float, ptr addrspace(1) %re.place
  %im = load float, ptr addrspace(1) %im.place
  store float %re, ptr addrspace(1) %im.place
  store float %im, ptr addrspace(1) %re.place
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
