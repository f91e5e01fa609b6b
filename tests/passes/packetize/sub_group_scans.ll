; RUN: lockstep-opt -passes=packetize %s | FileCheck %s
; A scan takes log2(lanes) steps; an exclusive one starts with all values moved up by one lane. A cluster's reduction is
; a butterfly inside the cluster, and a shuffle by a computed lane is a permutation by a vector of lanes.

; CHECK-LABEL: @kernel
; CHECK: [[UP:%.*]] = shufflevector <4 x float> %loaded{{[0-9]*}}, <4 x float> zeroinitializer, <4 x i32> <i32 4, i32 0, i32 1, i32 2>
; CHECK: shufflevector <4 x float> [[UP]], <4 x float> splat (float -0.000000e+00), <4 x i32> <i32 4, i32 0, i32 1, i32 2>
; CHECK: [[ONE:%.*]] = fadd <4 x float>
; CHECK: shufflevector <4 x float> [[ONE]], <4 x float> splat (float -0.000000e+00), <4 x i32> <i32 4, i32 5, i32 0, i32 1>
; CHECK: fadd <4 x float>
; CHECK: [[SWAPPED:%.*]] = shufflevector <4 x float> %loaded{{[0-9]*}}, <4 x float> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
; CHECK: [[LARGER:%.*]] = fcmp ogt <4 x float> %loaded{{[0-9]*}}, [[SWAPPED]]
; CHECK: select <4 x i1> [[LARGER]], <4 x float> %loaded{{[0-9]*}}, <4 x float> [[SWAPPED]]
; CHECK: [[FROM:%.*]] = and <4 x i32> {{.*}}, splat (i32 3)
; CHECK: call <4 x i32> @lockstep.permute.i32x4(<4 x i32> {{.*}}, <4 x i32> {{.*}})
; CHECK: fence acq_rel
; CHECK-NOT: call {{.*}}@__lockstep_sub_group
define void @kernel(ptr addrspace(1) %p) "lockstep-sub-group-size"="4" {
  %lane = call i64 @__lockstep_lane()
  %place = getelementptr float, ptr addrspace(1) %p, i64 %lane
  %loaded = load float, ptr addrspace(1) %place
  %sum = call float @__lockstep_sub_group_scan_f32(i32 0, i32 1, float %loaded)
  %max = call float @__lockstep_sub_group_reduce_f32(i32 3, i32 2, float %loaded)
  %from = fptoui float %max to i32
  %bits = bitcast float %sum to i32
  %moved = call i32 @__lockstep_sub_group_shuffle_i32(i32 %bits, i32 %from)
  call void @__lockstep_sub_group_barrier()
  store i32 %moved, ptr addrspace(1) %place
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare float @__lockstep_sub_group_scan_f32(i32, i32, float) convergent nomerge nounwind willreturn memory(none)
declare float @__lockstep_sub_group_reduce_f32(i32, i32, float) convergent nomerge nounwind willreturn memory(none)
declare i32 @__lockstep_sub_group_shuffle_i32(i32, i32) convergent nomerge nounwind willreturn memory(none)
declare void @__lockstep_sub_group_barrier() convergent nomerge nounwind
