; RUN: lockstep-opt -passes='canonicalize-flow,linearize' --local-size=20,1,1 %s | FileCheck %s
; Twenty work-items are no whole number of sub-groups of 16.

; CHECK-LABEL: @kernel
; CHECK: [[COUNT:%active.lanes]] = call i64 @__lockstep_active_lanes()
; CHECK: [[ACTIVE:%active]] = icmp ult i64 {{%.*}}, [[COUNT]]
; CHECK: call void @__lockstep_mask(i1 [[ACTIVE]])
define void @kernel(ptr addrspace(1) %p) "lockstep-sub-group-size"="16" {
  %lane = call i64 @__lockstep_lane()
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %lane
  store i32 1, ptr addrspace(1) %place
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
