; RUN: lockstep-opt -passes=batch-updates %s 2>&1 | FileCheck %s
; Additions by one work-item of the group to an address that is the same in all groups, whose result is used. A kernel that
; does not wait gets the coroutine form only if the launch asks for it.

; CHECK: atomics: the launch makes the additions of several work-groups at once
; CHECK: atomics: a launch of many groups makes the additions of several work-groups at once

; CHECK-LABEL: @wanted
; CHECK-SAME: #[[WANTED:[0-9]+]]
; CHECK: %ticket = atomicrmw add {{.*}}, !lockstep.batched
define void @wanted(ptr addrspace(1) %counter, ptr addrspace(1) %to) "lockstep-local-size"="64,1,1" "lockstep-batched-updates" {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %is.leader = icmp eq i64 %id, 0
  br i1 %is.leader, label %leader, label %end
leader:
  %ticket = atomicrmw add ptr addrspace(1) %counter, i32 1 monotonic
  store i32 %ticket, ptr addrspace(1) %to
  br label %end
end:
  ret void
}

; CHECK-LABEL: @would
; CHECK-SAME: #[[WOULD:[0-9]+]]
; CHECK-NOT: lockstep.batched
define void @would(ptr addrspace(1) %counter, ptr addrspace(1) %to) "lockstep-local-size"="64,1,1" {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %is.leader = icmp eq i64 %id, 63
  br i1 %is.leader, label %leader, label %end
leader:
  %second = getelementptr i32, ptr addrspace(1) %counter, i64 16
  %ticket = atomicrmw sub ptr addrspace(1) %second, i32 1 seq_cst
  store i32 %ticket, ptr addrspace(1) %to
  br label %end
end:
  ret void
}

; A group of one work-item, and 64 bits.
; CHECK-LABEL: @of_one
; CHECK: %ticket = atomicrmw add {{.*}}, !lockstep.batched
define void @of_one(ptr addrspace(1) %counter, ptr addrspace(1) %to) "lockstep-local-size"="1,1,1" "lockstep-batched-updates" {
  %ticket = atomicrmw add ptr addrspace(1) %counter, i64 1 monotonic
  store i64 %ticket, ptr addrspace(1) %to
  ret void
}

; The counter is behind a member of a function object.
; CHECK-LABEL: @of_a_member
; CHECK: %ticket = atomicrmw add {{.*}}, !lockstep.batched
define void @of_a_member(ptr %object, ptr addrspace(1) %to) "lockstep-local-size"="1,1,1" "lockstep-batched-updates" {
  %place = getelementptr i8, ptr %object, i64 8
  %member = load ptr addrspace(4), ptr %place, !invariant.load !0
  %counter = addrspacecast ptr addrspace(4) %member to ptr addrspace(1)
  %ticket = atomicrmw add ptr addrspace(1) %counter, i64 1 monotonic
  store i64 %ticket, ptr addrspace(1) %to
  ret void
}
!0 = !{}

; CHECK: attributes #[[WANTED]] = {{.*}}"lockstep-form"="resumable-group"
; CHECK: attributes #[[WOULD]] = { "lockstep-adds-to-counter"

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
