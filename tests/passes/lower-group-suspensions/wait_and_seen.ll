; RUN: lockstep-opt -passes=lower-group-suspensions %s | FileCheck %s
; A group stops where it waits, and not at barriers; who looked is told with what it saw.

; CHECK-LABEL: @whole
; CHECK: call void @__lockstep_barrier(i32 1)
; CHECK: %sub.group = call i64 @__lockstep_sub_group()
; CHECK-NEXT: %[[NUMBER:.*]] = trunc i64 %sub.group to i32
; CHECK-NEXT: %[[ONE_MORE:.*]] = add i32 %[[NUMBER]], 1
; CHECK-NEXT: %[[HIGH:.*]] = shl i32 %[[ONE_MORE]], 20
; CHECK-NEXT: %[[WHICH:.*]] = or i32 %[[HIGH]], 260
; CHECK-NEXT: call void @__lockstep_seen(ptr addrspace(4) %p, i64 0, i32 %[[WHICH]])
; CHECK: %[[ENDS:.*]] = or i32 %{{.*}}, 276
; CHECK-NEXT: call void @__lockstep_ends_with(i64 1, i32 %[[ENDS]])
; CHECK: call void @__lockstep_suspend(i32 2, i32 0, i1 %set)
; CHECK-NOT: call void @__lockstep_wait
define void @whole(ptr addrspace(4) %p, i1 %set) "lockstep-form"="resumable-group" {
entry:
  call void @__lockstep_barrier(i32 1)
  br label %loop
loop:
  call void @__lockstep_seen(ptr addrspace(4) %p, i64 0, i32 260)
  br i1 %set, label %end, label %again
again:
  call void @__lockstep_ends_with(i64 1, i32 276)
  call void @__lockstep_wait(i32 0, i1 %set)
  br label %loop
end:
  ret void
}

; What all repeat together is suspended once, like a group operation, and the first sub-group records what it read.
; CHECK-LABEL: @collective
; CHECK: %is.first = icmp eq i64 %sub.group, 0
; CHECK: br i1 %is.first
; CHECK: call void @__lockstep_seen(
; CHECK: call void @__lockstep_suspend(i32 2, i32 0, i1 false) #[[ONCE:[0-9]+]]
define void @collective(ptr addrspace(4) %p, i1 %set) "lockstep-form"="resumable-group" {
entry:
  br label %loop
loop:
  call void @__lockstep_seen(ptr addrspace(4) %p, i64 0, i32 260) "lockstep-once-for-group"
  call void @__lockstep_barrier(i32 1)
  br i1 %set, label %end, label %again
again:
  call void @__lockstep_wait(i32 0, i1 false) "lockstep-once-for-group"
  br label %loop
end:
  ret void
}

; CHECK-LABEL: @by_sub_groups
; CHECK-NOT: call i64 @__lockstep_sub_group
; CHECK: call void @__lockstep_wait
define void @by_sub_groups(ptr addrspace(4) %p) "lockstep-form"="resumable" {
  call void @__lockstep_seen(ptr addrspace(4) %p, i64 0, i32 260)
  call void @__lockstep_wait(i32 0, i1 false)
  ret void
}

; CHECK: attributes #[[ONCE]] = {{.*}}"lockstep-once-for-group"
declare void @__lockstep_barrier(i32) convergent nounwind
declare void @__lockstep_seen(ptr addrspace(4), i64, i32) convergent nounwind
declare void @__lockstep_ends_with(i64, i32) convergent nounwind
declare void @__lockstep_wait(i32, i1) convergent nounwind
