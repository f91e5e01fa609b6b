; RUN: lockstep-opt -passes=lower-suspensions %s | FileCheck %s
; Lanes that wait for different things, since their number was required: what one of them looked at
; is not all that may end the wait.

; CHECK: call void @__lockstep_suspend(i32 2, i32 0, i1 false)
; CHECK: !0 = distinct !{i32 1, !"", i32 0, i32 0, i32 0}
define void @kernel(ptr addrspace(1) %p) "lockstep-sub-group-size"="8" "lockstep-lanes-wait-for-each-other" {
entry:
  br label %loop
loop:
  %value = load atomic i32, ptr addrspace(1) %p acquire, align 4
  %done = icmp ne i32 %value, 0
  br i1 %done, label %end, label %again
again:
  call void @__lockstep_wait(i32 0, i1 false)
  br label %loop
end:
  ret void
}

declare void @__lockstep_wait(i32, i1) convergent nounwind

!lockstep.sites = !{!0}
!0 = distinct !{i32 1, !"", i32 0, i32 0, i32 1}
