; RUN: lockstep-opt -passes='packetize' %s | FileCheck %s
; Bit operations and divisions of consecutive numbers: the positions are compared with those of an aligned first lane, and one
; load with a permutation replaces the gather.

; CHECK-LABEL: @butterfly(
; CHECK: icmp ne <16 x i64> %{{.*}}, <i64 0, i64 -1, i64 2, i64 1,
; CHECK: br i1 %{{.*}}, label %in.vector, label %gather
; CHECK: in.vector:
; CHECK: add i64 %first.number, -1
; CHECK: load <16 x float>
; CHECK: shufflevector <16 x float> %{{.*}}, <16 x float> poison, <16 x i32> <i32 1, i32 0, i32 3, i32 2,
; CHECK: gather:
; CHECK: call <16 x float> @llvm.masked.gather
define void @butterfly(ptr addrspace(1) %p, i64 %base, ptr addrspace(1) %to) #0 {
entry:
  %lane = call i64 @__lockstep_lane()
  %number = add i64 %base, %lane
  %index = xor i64 %number, 1
  %at = getelementptr float, ptr addrspace(1) %p, i64 %index
  %value = load float, ptr addrspace(1) %at
  %to.at = getelementptr float, ptr addrspace(1) %to, i64 %lane
  store float %value, ptr addrspace(1) %to.at
  ret void
}

; Four elements, no more: nothing behind them may be read.
; CHECK-LABEL: @replicated(
; CHECK: icmp ule i32 %first.number, -33
; CHECK: in.vector:
; CHECK: load <4 x i16>
; CHECK: shufflevector <4 x i16> %{{.*}}, <4 x i16> poison, <16 x i32> <i32 0, i32 0, i32 0, i32 0, i32 1, i32 1, i32 1, i32 1,
define void @replicated(ptr addrspace(1) %p, i32 %base, ptr addrspace(1) %to) #0 {
entry:
  %lane = call i64 @__lockstep_lane()
  %short = trunc i64 %lane to i32
  %number = add i32 %base, %short
  %quarter = lshr i32 %number, 2
  %index = zext i32 %quarter to i64
  %at = getelementptr i16, ptr addrspace(1) %p, i64 %index
  %value = load i16, ptr addrspace(1) %at
  %to.at = getelementptr i16, ptr addrspace(1) %to, i64 %lane
  store i16 %value, ptr addrspace(1) %to.at
  ret void
}

; Elements further apart than a vector, and lanes that may be inactive.
; CHECK-LABEL: @far_apart(
; CHECK-NOT: in.vector
define void @far_apart(ptr addrspace(1) %p, i64 %base, ptr addrspace(1) %to) #0 {
entry:
  %lane = call i64 @__lockstep_lane()
  %number = add i64 %base, %lane
  %scaled = shl i64 %number, 1
  %index = xor i64 %scaled, 2
  %at = getelementptr float, ptr addrspace(1) %p, i64 %index
  %value = load float, ptr addrspace(1) %at
  %to.at = getelementptr float, ptr addrspace(1) %to, i64 %lane
  store float %value, ptr addrspace(1) %to.at
  ret void
}

; CHECK-LABEL: @masked(
; CHECK-NOT: in.vector
define void @masked(ptr addrspace(1) %p, i64 %base, ptr addrspace(1) %to) #0 {
entry:
  %lane = call i64 @__lockstep_lane()
  %wanted = icmp ult i64 %lane, 13
  call void @__lockstep_mask(i1 %wanted)
  %number = add i64 %base, %lane
  %index = xor i64 %number, 1
  %at = getelementptr float, ptr addrspace(1) %p, i64 %index
  %value = load float, ptr addrspace(1) %at
  %to.at = getelementptr float, ptr addrspace(1) %to, i64 %lane
  store float %value, ptr addrspace(1) %to.at
  call void @__lockstep_mask(i1 true)
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare void @__lockstep_mask(i1) convergent nounwind willreturn memory(inaccessiblemem: readwrite)
attributes #0 = { "lockstep-sub-group-size"="16" "target-cpu"="znver5" }
