; RUN: lockstep-opt -passes='canonicalize-flow,linearize' %s | FileCheck %s
; The optimizer threaded "lanes differ" into the two ways of the uniform %again: both ways of the divergent branch can
; meet the barrier next, so it stays divergent and its two sides both run, each under its mask.

; CHECK-LABEL: @kernel
; CHECK: call i1 @__lockstep_any_lane
; CHECK: call void @__lockstep_mask
; CHECK: store i32 1
; CHECK: call void @__lockstep_barrier
define void @kernel(ptr addrspace(1) %p, i1 %few, i1 %again) "lockstep-sub-group-size"="16" {
entry:
  %lane = call i64 @__lockstep_lane()
  %apart = icmp ult i64 %lane, 5
  br i1 %apart, label %join, label %side
side:
  br i1 %few, label %act, label %meet
act:
  store i32 1, ptr addrspace(1) %p
  br label %join
join:
  br i1 %again, label %meet, label %end
meet:
  call void @__lockstep_barrier(i32 1)
  br label %end
end:
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare void @__lockstep_barrier(i32) convergent nounwind
