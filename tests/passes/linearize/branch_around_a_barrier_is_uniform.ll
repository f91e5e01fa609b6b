; RUN: lockstep-opt -passes='canonicalize-flow,linearize' --local-size=16,1,1 %s | FileCheck %s
; All work-items must meet the same barrier, so the loaded condition is the same for all, whatever the compiler can see.

; CHECK-LABEL: @kernel
; CHECK: [[ANY:%.*]] = call i1 @__lockstep_any_lane(i1 %c)
; CHECK: br i1 [[ANY]]
; CHECK-NOT: __lockstep_mask
; CHECK: call void @__lockstep_barrier
define void @kernel(ptr addrspace(1) %p) "lockstep-sub-group-size"="16" {
entry:
  %lane = call i64 @__lockstep_lane()
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %lane
  %value = load i32, ptr addrspace(1) %place
  %c = icmp eq i32 %value, 0
  br i1 %c, label %then, label %end
then:
  call void @__lockstep_barrier(i32 1)
  br label %end
end:
  call void @__lockstep_barrier(i32 2)
  ret void
}

; Who ends meets nobody: the others go on to the barrier without those lanes.
; CHECK-LABEL: @some_end
; CHECK: [[STAY:%.*]] = xor i1 %gone, true
; CHECK: call i1 @__lockstep_any_lane(i1 [[STAYING:%.*]])
; CHECK: call void @__lockstep_mask(i1 [[STAYING]])
; CHECK-NEXT: call void @__lockstep_barrier
; CHECK: store i32 1
define void @some_end(ptr addrspace(1) %p, i64 %n) "lockstep-sub-group-size"="16" {
entry:
  %lane = call i64 @__lockstep_lane()
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %lane
  %gone = icmp uge i64 %lane, %n
  br i1 %gone, label %end, label %stay
stay:
  call void @__lockstep_barrier(i32 1)
  store i32 1, ptr addrspace(1) %place
  br label %end
end:
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare void @__lockstep_barrier(i32) convergent nounwind
