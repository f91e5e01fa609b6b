; RUN: env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes='packetize,lower-reciprocal-sqrt' %s | FileCheck %s
; Lanes take the vector form of the estimate that one work-item takes; what is uniform stays one number.

; CHECK-LABEL: @sixteen
; CHECK: call <4 x float> @llvm.x86.avx512.rsqrt14.ps.128(
; CHECK: call <16 x float> @llvm.x86.avx512.rsqrt14.ps.512(<16 x float>
; CHECK: select <16 x i1>
; CHECK-NOT: @__lockstep_reciprocal_sqrt
define void @sixteen(ptr addrspace(1) %p, float %uniform) #0 {
  %lane = call i64 @__lockstep_lane()
  %at = getelementptr float, ptr addrspace(1) %p, i64 %lane
  %x = load float, ptr addrspace(1) %at
  %same = call float @__lockstep_reciprocal_sqrt(float %uniform)
  %y = call float @__lockstep_reciprocal_sqrt(float %x)
  %sum = fadd float %same, %y
  store float %sum, ptr addrspace(1) %at
  ret void
}

; CHECK-LABEL: @two
; CHECK: [[PADDED:%.*]] = shufflevector <2 x float> {{.*}}, <2 x float> splat (float 1.000000e+00), <4 x i32> <i32 0, i32 1, i32 2, i32 2>
; CHECK: call <4 x float> @llvm.x86.avx512.rsqrt14.ps.128(<4 x float> [[PADDED]]
define void @two(ptr addrspace(1) %p) #1 {
  %lane = call i64 @__lockstep_lane()
  %at = getelementptr float, ptr addrspace(1) %p, i64 %lane
  %x = load float, ptr addrspace(1) %at
  %y = call float @__lockstep_reciprocal_sqrt(float %x)
  store float %y, ptr addrspace(1) %at
  ret void
}

; CHECK-LABEL: @sixty_four
; CHECK-COUNT-4: call <16 x float> @llvm.x86.avx512.rsqrt14.ps.512(
define void @sixty_four(ptr addrspace(1) %p) #2 {
  %lane = call i64 @__lockstep_lane()
  %at = getelementptr float, ptr addrspace(1) %p, i64 %lane
  %x = load float, ptr addrspace(1) %at
  %y = call float @__lockstep_reciprocal_sqrt(float %x)
  store float %y, ptr addrspace(1) %at
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare float @__lockstep_reciprocal_sqrt(float) nounwind willreturn memory(none)

attributes #0 = { "lockstep-sub-group-size"="16" }
attributes #1 = { "lockstep-sub-group-size"="2" }
attributes #2 = { "lockstep-sub-group-size"="64" }
