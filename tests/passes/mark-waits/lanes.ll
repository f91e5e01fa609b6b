; RUN: env LOCKSTEP_FORM=sub-groups lockstep-opt -passes=mark-waits --local-size=48,1,1 %s 2>/dev/null | FileCheck %s
; Where lanes may be held back by one that waits (no "lockstep-lanes-wait-for-each-other"), and where not.

; CHECK: @all_lanes({{.*}} [[TOGETHER:#[0-9]+]]
; CHECK: @leader({{.*}} [[TOGETHER_CONVERGENT:#[0-9]+]]
; CHECK: @others_do_something({{.*}} [[APART:#[0-9]+]]
; CHECK: @neighbor({{.*}} [[APART]]
; CHECK: @many_then_silence({{.*}} [[TOGETHER_CONVERGENT]]
; CHECK: @leader_locks({{.*}} [[TOGETHER]]
; CHECK-DAG: attributes [[TOGETHER]] = { "lockstep-form"="resumable" "lockstep-local-size"="48,1,1" }
; CHECK-DAG: attributes [[TOGETHER_CONVERGENT]] = { convergent "lockstep-form"="resumable" "lockstep-local-size"="48,1,1" }
; CHECK-DAG: attributes [[APART]] = { "lockstep-form"="resumable" "lockstep-lanes-wait-for-each-other" "lockstep-local-size"="48,1,1" }

; One load serves all lanes, so all go on together.
define void @all_lanes(ptr addrspace(1) %flag, ptr addrspace(1) %out) {
entry:
  br label %loop
loop:
  %value = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp ne i32 %value, 0
  br i1 %set, label %end, label %loop
end:
  store i32 1, ptr addrspace(1) %out
  ret void
}

; Those held back come to the barrier.
define void @leader(ptr addrspace(1) %flag, ptr addrspace(1) %out) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %first = icmp eq i64 %id, 0
  br i1 %first, label %loop, label %join
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

; The others do what may be waited for.
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

; Each waits for another flag and then sets one.
define void @neighbor(ptr addrspace(1) %flags) {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %flag = getelementptr i32, ptr addrspace(1) %flags, i64 %id
  br label %loop
loop:
  %value = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp ne i32 %value, 0
  br i1 %set, label %end, label %loop
end:
  %next = getelementptr i32, ptr addrspace(1) %flag, i64 1
  store atomic i32 1, ptr addrspace(1) %next release, align 4
  ret void
}

; Each waits for its own flag and then for the others, at the barrier.
define void @many_then_silence(ptr addrspace(1) %flags) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %flag = getelementptr i32, ptr addrspace(1) %flags, i64 %id
  br label %loop
loop:
  %value = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp ne i32 %value, 0
  br i1 %set, label %end, label %loop
end:
  call void @__lockstep_barrier(i32 1)
  store i32 1, ptr addrspace(1) %flags
  ret void
}

; One lane takes a lock; the others have come to their end.
define void @leader_locks(ptr addrspace(1) %lock) {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %narrow = trunc i64 %id to i32
  %other = icmp ne i32 %narrow, 7
  br i1 %other, label %join, label %loop
loop:
  %old = atomicrmw xchg ptr addrspace(1) %lock, i32 1 acquire
  %taken = icmp ne i32 %old, 0
  br i1 %taken, label %loop, label %then
then:
  store atomic i32 0, ptr addrspace(1) %lock release, align 4
  br label %join
join:
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare void @__lockstep_barrier(i32) convergent nounwind
