; RUN: lockstep-opt -passes=lower-suspensions %s | FileCheck %s
; A barrier and a wait stop; a group copy stops, then sub-group 0 copies.

; CHECK-LABEL: @kernel
; CHECK: call void @__lockstep_suspend(i32 1, i32 1, i1 false)
; CHECK-NOT: @__lockstep_barrier(i32
; CHECK: call void @__lockstep_suspend(i32 1, i32 2, i1 false)
; CHECK-NEXT: %sub.group = call i64 @__lockstep_sub_group()
; CHECK-NEXT: %is.first = icmp eq i64 %sub.group, 0
; CHECK-NEXT: br i1 %is.first, label %[[THEN:.*]], label %[[ELSE:.*]]
; CHECK: [[THEN]]:
; CHECK-NEXT: call void @__lockstep_group_copy(
; CHECK-NEXT: br label %[[ELSE]]
; CHECK: loop:
; CHECK: call void @__lockstep_suspend(i32 2, i32 0, i1 %done)
; CHECK-NOT: call void @__lockstep_wait
; CHECK: !lockstep.sites = !{!0, !1, !2}
; CHECK: !1 = distinct !{i32 0, !"", i32 0, i32 0, i32 0}
define void @kernel(ptr addrspace(4) %d, ptr addrspace(4) %s, i64 %n, i1 %done) convergent {
entry:
  call void @__lockstep_barrier(i32 1) convergent
  call void @__lockstep_group_copy(ptr addrspace(4) %d, ptr addrspace(4) %s, i64 %n, i64 1, i64 1, i64 4) convergent
  br label %loop
loop:
  call void @__lockstep_wait(i32 0, i1 %done) convergent
  br i1 %done, label %end, label %loop
end:
  ret void
}

declare void @__lockstep_barrier(i32) convergent nounwind
declare void @__lockstep_group_copy(ptr addrspace(4), ptr addrspace(4), i64, i64, i64, i64) convergent nounwind
declare void @__lockstep_wait(i32, i1) convergent nounwind

!lockstep.sites = !{!0}
!0 = distinct !{i32 1, !"", i32 0, i32 0, i32 1}
