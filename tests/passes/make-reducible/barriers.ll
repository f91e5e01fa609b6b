; RUN: lockstep-opt -passes=make-reducible %s | FileCheck %s
; RUN: lockstep-opt -passes='make-reducible,canonicalize-flow,linearize' %s | FileCheck %s --check-prefix=LANES

; Some lanes enter at %a, others at %b, and all meet in %b: an iteration ends behind the barrier, not at an entry. What %c
; takes from %b comes through the dispatch block.
; CHECK: dispatch:
; CHECK: [[KEPT:%.*]] = phi i32 [ 0, %entry ], [ %i2, %b ]
; CHECK: a:
; CHECK: br label %b
; CHECK: b:
; CHECK: call void @__lockstep_barrier
; CHECK: [[NEXT:%.*]] = select i1 %more, i32 0, i32 2
; CHECK-NEXT: br label %dispatch
; CHECK: c:
; CHECK-NEXT: add i32 [[KEPT]], 1
; CHECK: br i1 %much, label %b, label %end

; One barrier, once in each iteration.
; LANES: call void @__lockstep_barrier
; LANES-NOT: call void @__lockstep_barrier
define void @kernel(ptr addrspace(1) %p, i32 %n) convergent "lockstep-sub-group-size"="4" {
entry:
  %lane = call i64 @__lockstep_lane()
  %address = getelementptr i32, ptr addrspace(1) %p, i64 %lane
  %some = icmp ult i64 %lane, 2
  br i1 %some, label %a, label %b
a:
  %i = phi i32 [ 0, %entry ], [ %i2, %b ]
  %i1 = add i32 %i, 5
  store i32 %i1, ptr addrspace(1) %address
  br label %b
b:
  %i2 = phi i32 [ 1, %entry ], [ %i1, %a ], [ %i3, %c ]
  call void @__lockstep_barrier(i32 1)
  %more = icmp ult i32 %i2, %n
  br i1 %more, label %a, label %c
c:
  %i3 = add i32 %i2, 1
  %much = icmp ult i32 %i3, 100
  br i1 %much, label %b, label %end
end:
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare void @__lockstep_barrier(i32) convergent nounwind
