; RUN: lockstep-opt -passes=merge-barrier-loops %s | FileCheck %s
; RUN: lockstep-opt -passes='canonicalize-flow,linearize' %s | FileCheck %s --check-prefix=LANES

; Some lanes go from %again to the barrier at once, others through %longer, the header of the outer loop. Both loops become
; one, whose iterations end behind the barrier.
; CHECK-LABEL: @kernel
; CHECK: entry:
; CHECK: br label %dispatch
; CHECK: dispatch:
; CHECK: [[TARGET:%.*]] = phi i1 [ false, %entry ], [ true, %meeting ]
; CHECK: br i1 [[TARGET]], label %again, label %longer
; CHECK: longer:
; CHECK: br label %meeting
; CHECK: meeting:
; CHECK: call void @__lockstep_barrier
; CHECK: br i1 %more, label %dispatch, label %end
; CHECK: again:
; CHECK: br i1 %some, label %meeting, label %longer

; One loop with one barrier: its mask is tested before the barrier in no inner loop.
; LANES-LABEL: @kernel
; LANES: dispatch:
; LANES: call void @__lockstep_barrier
; LANES-NOT: call void @__lockstep_barrier
define void @kernel(ptr addrspace(1) %p, i32 %n) convergent "lockstep-sub-group-size"="4" {
entry:
  %lane = call i64 @__lockstep_lane()
  %some = icmp ult i64 %lane, 2
  br label %longer
longer:
  %i = phi i32 [ 0, %entry ], [ %i1, %again ]
  br label %meeting
meeting:
  %i1 = phi i32 [ %i, %longer ], [ %i2, %again ]
  call void @__lockstep_barrier(i32 1)
  %i2 = add i32 %i1, 1
  %more = icmp ult i32 %i2, %n
  br i1 %more, label %again, label %end
again:
  br i1 %some, label %meeting, label %longer
end:
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare void @__lockstep_barrier(i32) convergent nounwind
