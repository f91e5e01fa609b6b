; RUN: lockstep-opt -passes=make-reducible %s | FileCheck %s

; Only some lanes reach the operation of the sub-group in %c. So iterations end behind the barrier and not there.
; CHECK: a:
; CHECK: call void @__lockstep_barrier
; CHECK: br label %dispatch
; CHECK: c:
; CHECK: call i32 @__lockstep_sub_group_reduce_i32
; CHECK-NEXT: br label %b
; CHECK: dispatch:
; CHECK: phi i32 [ {{.*}}, %entry ], [ {{.*}}, %a ]
define void @kernel(ptr addrspace(1) %p, i32 %n) convergent "lockstep-sub-group-size"="4" {
entry:
  %lane = call i64 @__lockstep_lane()
  %some = icmp ult i64 %lane, 2
  %first = icmp eq i32 %n, 7
  br i1 %first, label %b, label %a
a:
  %i = phi i32 [ 0, %entry ], [ %i1, %b ]
  call void @__lockstep_barrier(i32 1)
  br i1 %some, label %c, label %b
c:
  %sum = call i32 @__lockstep_sub_group_reduce_i32(i32 2, i32 4, i32 %i)
  br label %b
b:
  %i0 = phi i32 [ 0, %entry ], [ %i, %a ], [ %sum, %c ]
  %i1 = add i32 %i0, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %a, label %end
end:
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare i32 @__lockstep_sub_group_reduce_i32(i32, i32, i32) convergent nounwind
declare void @__lockstep_barrier(i32) convergent nounwind
