; RUN: env LOCKSTEP_FORM=auto lockstep-opt -passes=mark-waits --local-size=48,1,1 %s 2>&1 | FileCheck %s
; RUN: env LOCKSTEP_FORM=auto lockstep-opt -passes=mark-waits %s 2>/dev/null | FileCheck %s --check-prefix=ANY
; RUN: env LOCKSTEP_FORM=sub-groups lockstep-opt -passes=mark-waits --local-size=48,1,1 %s 2>/dev/null | FileCheck %s --check-prefix=ANY
; Which kernels are suspended as whole groups: those in which nobody of a group waits for another one of it. Their waits
; become barrier regions of their own. Not so where the local size is not known, nor where somebody asks for sub-groups.

; ANY-NOT: "lockstep-form"="resumable-group"
; ANY: "lockstep-form"="resumable"
; ANY-NOT: "lockstep-form"="resumable-group"

; CHECK-DAG: waits: the whole work-group is suspended
; CHECK-DAG: waits: each sub-group is suspended by itself, not the whole work-group: work-items of one sub-group may wait for each other
; CHECK-DAG: waits: each sub-group is suspended by itself, not the whole work-group: more than one work-item takes a lock
; CHECK-DAG: waits: each sub-group is suspended by itself, not the whole work-group: more than one work-item waits, and not all do
; CHECK-DAG: waits: each sub-group is suspended by itself, not the whole work-group: several work-items do something before they wait
; CHECK-DAG: waits: each sub-group is suspended by itself, not the whole work-group: what is waited for may be in local memory
; CHECK-DAG: waits: each sub-group is suspended by itself, not the whole work-group: not all work-items may come to each barrier

; All wait for the same. What they do before is done by all of them before anybody waits, and what follows begins when the
; wait is over for all.
; CHECK-LABEL: define void @all(
; CHECK-SAME: #[[GROUP:[0-9]+]]
; CHECK: store i32 1, ptr addrspace(1) %mine
; CHECK-NEXT: call void @__lockstep_barrier(i32 0)
; CHECK-NEXT: br label %loop
; CHECK: loop:
; CHECK-NOT: call void @__lockstep_barrier
; CHECK: end:
; CHECK-NEXT: call void @__lockstep_barrier(i32 0)
; CHECK-NEXT: store i32 2
define void @all(ptr addrspace(1) %flag, ptr addrspace(1) %out) {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %mine = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 1, ptr addrspace(1) %mine
  br label %loop
loop:
  %value = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp ne i32 %value, 0
  br i1 %set, label %end, label %loop
end:
  store i32 2, ptr addrspace(1) %mine
  ret void
}

; One waits, and does something for others before; they come to a barrier, behind which there is one already.
; CHECK-LABEL: define void @leader(
; CHECK-SAME: #[[GROUP_CONVERGENT:[0-9]+]]
; CHECK-NOT: call void @__lockstep_barrier
; CHECK: join:
; CHECK-NEXT: call void @__lockstep_barrier(i32 1)
; CHECK-NEXT: store
define void @leader(ptr addrspace(1) %flag, ptr addrspace(1) %out) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %first = icmp eq i64 %id, 0
  br i1 %first, label %tell, label %join
tell:
  store atomic i32 1, ptr addrspace(1) %out release, align 4
  br label %loop
loop:
  %value = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp ne i32 %value, 0
  br i1 %set, label %then, label %loop
then:
  store i32 1, ptr addrspace(1) %out
  br label %join
join:
  call void @__lockstep_barrier(i32 1)
  store i32 2, ptr addrspace(1) %out
  ret void
}

; Each takes a lock in its turn, and reads something else under it.
; CHECK-LABEL: define void @locks(
; CHECK-SAME: #[[SUB_GROUPS:[0-9]+]]
; CHECK-NOT: call void @__lockstep_barrier
define void @locks(ptr addrspace(1) %lock, ptr addrspace(1) %counter) {
entry:
  br label %loop
loop:
  %taken = cmpxchg ptr addrspace(1) %lock, i32 0, i32 1 acq_rel monotonic
  %ok = extractvalue { i32, i1 } %taken, 1
  br i1 %ok, label %locked, label %loop
locked:
  %old = load i32, ptr addrspace(1) %counter
  %new = add i32 %old, 1
  store i32 %new, ptr addrspace(1) %counter
  store atomic i32 0, ptr addrspace(1) %lock release, align 4
  ret void
}

; Others do what may be waited for while one of them waits.
; CHECK-LABEL: define void @others_do_something(
; CHECK-SAME: #[[APART:[0-9]+]]
define void @others_do_something(ptr addrspace(1) %flag, ptr addrspace(1) %out) {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %first = icmp eq i64 %id, 0
  br i1 %first, label %loop, label %join
loop:
  %value = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp ne i32 %value, 0
  br i1 %set, label %join, label %loop
join:
  store atomic i32 1, ptr addrspace(1) %flag release, align 4
  ret void
}

; Some tell others that they are there, and one of them waits: of the second sub-group none would have told.
; CHECK-LABEL: define void @some_tell_and_wait(
; CHECK-SAME: #[[SUB_GROUPS]]
; CHECK-NOT: call void @__lockstep_barrier
define void @some_tell_and_wait(ptr addrspace(1) %flag, ptr addrspace(1) %out) {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %some = icmp ult i64 %id, 32
  br i1 %some, label %tell, label %join
tell:
  %mine = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store atomic i32 1, ptr addrspace(1) %mine release, align 4
  %first = icmp eq i64 %id, 0
  br i1 %first, label %loop, label %join
loop:
  %value = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp ne i32 %value, 0
  br i1 %set, label %join, label %loop
join:
  ret void
}

; Others may wait, too, and which do nobody could tell.
; CHECK-LABEL: define void @some_wait(
; CHECK-SAME: #[[SUB_GROUPS]]
define void @some_wait(ptr addrspace(1) %flag) {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %some = icmp ult i64 %id, 32
  br i1 %some, label %loop, label %join
loop:
  %value = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp ne i32 %value, 0
  br i1 %set, label %join, label %loop
join:
  ret void
}

; CHECK-LABEL: define void @meets_while_it_waits(
; CHECK-SAME: #[[SUB_GROUPS_CONVERGENT:[0-9]+]]
define void @meets_while_it_waits(ptr addrspace(1) %flag) convergent {
entry:
  br label %loop
loop:
  call void @__lockstep_barrier(i32 1)
  %value = load volatile i32, ptr addrspace(1) %flag, align 4
  %set = icmp ne i32 %value, 0
  br i1 %set, label %end, label %loop
end:
  ret void
}

; The host passed the pointer as a member of a function object, as SYCL's: it is global, though the object that it comes from
; does not say so.
; CHECK-LABEL: define void @waits_by_a_member(
; CHECK-SAME: #[[MEMBER:[0-9]+]]
define void @waits_by_a_member(ptr byval({ ptr addrspace(4) }) %object) {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %member = load ptr addrspace(4), ptr %object, !invariant.load !0
  %flag = addrspacecast ptr addrspace(4) %member to ptr addrspace(1)
  %first = icmp eq i64 %id, 0
  br i1 %first, label %loop, label %join
loop:
  %value = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp ne i32 %value, 0
  br i1 %set, label %join, label %loop
join:
  ret void
}

; Reading a member is no work to be done before the wait: there is no barrier, across which the address would be kept.
; CHECK-LABEL: define void @all_by_a_member(
; CHECK-NOT: call void @__lockstep_barrier
; CHECK: loop:
define void @all_by_a_member(ptr %object) {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %member = load ptr addrspace(4), ptr %object, !invariant.load !0
  %flags = addrspacecast ptr addrspace(4) %member to ptr addrspace(1)
  %flag = getelementptr i32, ptr addrspace(1) %flags, i64 %id
  br label %loop
loop:
  %value = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp ne i32 %value, 0
  br i1 %set, label %end, label %loop
end:
  ret void
}

; Only another one of the group can write there.
; CHECK-LABEL: define void @waits_in_local_memory(
; CHECK-SAME: #[[SUB_GROUPS]]
define void @waits_in_local_memory(ptr addrspace(3) %flag) {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %first = icmp eq i64 %id, 0
  br i1 %first, label %loop, label %join
loop:
  %value = load atomic i32, ptr addrspace(3) %flag acquire, align 4
  %set = icmp ne i32 %value, 0
  br i1 %set, label %join, label %loop
join:
  ret void
}

; All read one address and combine what they read: one wait for the group, whose end is the value at that address.
; CHECK-LABEL: define void @collective(
; CHECK-SAME: #[[GROUP_TOGETHER_CONVERGENT:[0-9]+]]
; CHECK: call void @__lockstep_seen({{.*}}) #[[SEEN_ONCE:[0-9]+]]
; CHECK: call void @__lockstep_group_combine_i32
; CHECK: call void @__lockstep_wait(i32 {{[0-9]+}}, i1 %{{.*}}) #[[ONCE:[0-9]+]]
define void @collective(ptr addrspace(1) %flag, i32 %goal) convergent {
entry:
  br label %loop
loop:
  %value = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp uge i32 %value, %goal
  %word = zext i1 %set to i32
  store i32 %word, ptr addrspace(3) @scratch, align 4
  call void @__lockstep_group_combine_i32(i32 7, i32 0, ptr addrspace(3) @scratch, i64 2)
  %any = load i32, ptr addrspace(3) @scratch, align 4
  %none = icmp eq i32 %any, 0
  br i1 %none, label %loop, label %end
end:
  ret void
}

; Not so where each reads an address of its own,
; CHECK-LABEL: define void @collective_of_many(
; CHECK-SAME: #[[SUB_GROUPS_CONVERGENT]]
define void @collective_of_many(ptr addrspace(1) %flags) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %flag = getelementptr i32, ptr addrspace(1) %flags, i64 %id
  br label %loop
loop:
  %value = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  store i32 %value, ptr addrspace(3) @scratch, align 4
  call void @__lockstep_group_combine_i32(i32 7, i32 0, ptr addrspace(3) @scratch, i64 2)
  %any = load i32, ptr addrspace(3) @scratch, align 4
  %none = icmp eq i32 %any, 0
  br i1 %none, label %loop, label %end
end:
  ret void
}

; nor where the loop has a visible effect.
; CHECK-LABEL: define void @collective_that_writes(
; CHECK-SAME: #[[APART_CONVERGENT:[0-9]+]]
define void @collective_that_writes(ptr addrspace(1) %flag, ptr addrspace(1) %tries) convergent {
entry:
  br label %loop
loop:
  %value = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  store atomic i32 %value, ptr addrspace(1) %tries monotonic, align 4
  store i32 %value, ptr addrspace(3) @scratch, align 4
  call void @__lockstep_group_combine_i32(i32 7, i32 0, ptr addrspace(3) @scratch, i64 2)
  %any = load i32, ptr addrspace(3) @scratch, align 4
  %none = icmp eq i32 %any, 0
  br i1 %none, label %loop, label %end
end:
  ret void
}

; Who returned does not come to the barrier, and the report of that needs sub-groups.
; CHECK-LABEL: define void @some_return(
; CHECK-SAME: #[[SUB_GROUPS_CONVERGENT]]
define void @some_return(ptr addrspace(1) %flag) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %some = icmp ult i64 %id, 32
  br i1 %some, label %loop, label %out
loop:
  %value = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp ne i32 %value, 0
  br i1 %set, label %end, label %loop
end:
  call void @__lockstep_barrier(i32 1)
  br label %out
out:
  ret void
}

; Of those whose work-items all wait, wherever they do, later passes know it.
; CHECK-DAG: attributes #[[MEMBER]] = { "lockstep-form"="resumable-group" "lockstep-local-size"="48,1,1" }
; CHECK-DAG: attributes #[[GROUP]] = { "lockstep-form"="resumable-group" "lockstep-local-size"="48,1,1" "lockstep-waits-together" }
; CHECK-DAG: attributes #[[GROUP_CONVERGENT]] = { convergent "lockstep-form"="resumable-group" "lockstep-local-size"="48,1,1" }
; CHECK-DAG: attributes #[[SUB_GROUPS]] = { "lockstep-form"="resumable" "lockstep-local-size"="48,1,1" }
; CHECK-DAG: attributes #[[SUB_GROUPS_CONVERGENT]] = { convergent "lockstep-form"="resumable" "lockstep-local-size"="48,1,1" }
; CHECK-DAG: attributes #[[GROUP_TOGETHER_CONVERGENT]] = { convergent "lockstep-form"="resumable-group" "lockstep-local-size"="48,1,1" "lockstep-waits-together" }
; CHECK-DAG: attributes #[[APART_CONVERGENT]] = { convergent "lockstep-form"="resumable"
; CHECK-DAG: attributes #[[ONCE]] = {{.*}}"lockstep-once-for-group"
; CHECK-DAG: attributes #[[SEEN_ONCE]] = {{.*}}"lockstep-once-for-group" "lockstep-wait-record-is-complete"
; CHECK-DAG: attributes #[[APART]] = { "lockstep-form"="resumable"

declare i64 @__lockstep_local_id(i32) memory(none)
declare void @__lockstep_barrier(i32) convergent nounwind
declare void @__lockstep_group_combine_i32(i32, i32, ptr addrspace(3), i64) convergent nounwind
@scratch = internal addrspace(3) global [80 x i32] poison
!0 = !{}
