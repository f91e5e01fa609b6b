; RUN: env LOCKSTEP_FORM=auto lockstep-opt -passes=mark-waits %s 2>/dev/null | FileCheck %s
; A lock that each lane takes, and gives back before anything else, is taken by one lane at a time:
; the turn begins before the loop that waits and ends behind the release. Where lanes that are held
; back, before or behind it, could matter to others, each lane is a sub-group of its own.

; The id is asked before the turn; the plain store behind it can wait.
; CHECK-LABEL: @takes_and_gives_back
; CHECK-SAME: [[TURNS:#[0-9]+]]
; CHECK: call i64 @__lockstep_local_id
; CHECK-NEXT: call void @__lockstep_serial_begin()
; CHECK-NEXT: br label %loop
; CHECK: call void @__lockstep_wait
; CHECK: store atomic i32 0, ptr addrspace(1) %lock
; CHECK-NEXT: call void @__lockstep_serial_end()
; CHECK: store i32 1
define void @takes_and_gives_back(ptr addrspace(1) %lock, ptr addrspace(1) %list) {
entry:
  br label %loop
loop:
  %old = atomicrmw xchg ptr addrspace(1) %lock, i32 1 acquire
  %free = icmp eq i32 %old, 0
  br i1 %free, label %inside, label %loop
inside:
  %id = call i64 @__lockstep_local_id(i32 0)
  %count = load i64, ptr addrspace(1) %list
  %more = icmp ult i64 %count, 8
  br i1 %more, label %add, label %done
add:
  %next = add i64 %count, %id
  store i64 %next, ptr addrspace(1) %list
  br label %done
done:
  store atomic i32 0, ptr addrspace(1) %lock release, align 4
  %at = getelementptr i32, ptr addrspace(1) %list, i64 %id
  store i32 1, ptr addrspace(1) %at
  ret void
}

; Those whose turn is over come back to the same lock.
; CHECK-LABEL: @many_times
; CHECK-SAME: [[TURNS]]
; CHECK: call void @__lockstep_serial_begin()
define void @many_times(ptr addrspace(1) %lock, ptr addrspace(1) %sum, i32 %times) {
entry:
  br label %again
again:
  %n = phi i32 [ 0, %entry ], [ %n.next, %inside ]
  br label %loop
loop:
  %pair = cmpxchg ptr addrspace(1) %lock, i32 0, i32 1 acquire monotonic
  %taken = extractvalue { i32, i1 } %pair, 1
  br i1 %taken, label %inside, label %loop
inside:
  %old = load i32, ptr addrspace(1) %sum
  %new = add i32 %old, 1
  store i32 %new, ptr addrspace(1) %sum
  store atomic i32 0, ptr addrspace(1) %lock release, align 4
  %n.next = add i32 %n, 1
  %more = icmp ult i32 %n.next, %times
  br i1 %more, label %again, label %end
end:
  ret void
}

; Those that take it less often leave a result and are done.
; CHECK-LABEL: @different_times
; CHECK-SAME: [[TURNS]]
; CHECK: call void @__lockstep_serial_begin()
define void @different_times(ptr addrspace(1) %lock, ptr addrspace(1) %out) {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  br label %again
again:
  %n = phi i64 [ 0, %entry ], [ %n.next, %inside ]
  br label %loop
loop:
  %pair = cmpxchg ptr addrspace(1) %lock, i32 0, i32 1 acquire monotonic
  %taken = extractvalue { i32, i1 } %pair, 1
  br i1 %taken, label %inside, label %loop
inside:
  store atomic i32 0, ptr addrspace(1) %lock release, align 4
  %n.next = add i64 %n, 1
  %more = icmp ult i64 %n.next, %id
  br i1 %more, label %again, label %end
end:
  %at = getelementptr i64, ptr addrspace(1) %out, i64 %id
  store i64 %n, ptr addrspace(1) %at
  ret void
}

; Another work-item may wait for the flag before it gives the lock back.
; CHECK-LABEL: @then_sets_a_flag
; CHECK-SAME: [[APART:#[0-9]+]]
; CHECK-NOT: call void @__lockstep_turn
define void @then_sets_a_flag(ptr addrspace(1) %lock, ptr addrspace(1) %flag) {
entry:
  br label %loop
loop:
  %old = atomicrmw xchg ptr addrspace(1) %lock, i32 1 acquire
  %free = icmp eq i32 %old, 0
  br i1 %free, label %inside, label %loop
inside:
  store atomic i32 0, ptr addrspace(1) %lock release, align 4
  store atomic i32 1, ptr addrspace(1) %flag release, align 4
  ret void
}

; A lane that has it keeps the others waiting for ever.
; CHECK-LABEL: @keeps_it
; CHECK-SAME: [[APART]]
; CHECK-NOT: call void @__lockstep_turn
define void @keeps_it(ptr addrspace(1) %lock, ptr addrspace(1) %sum, i1 %really) {
entry:
  br label %loop
loop:
  %old = atomicrmw xchg ptr addrspace(1) %lock, i32 1 acquire
  %free = icmp eq i32 %old, 0
  br i1 %free, label %inside, label %loop
inside:
  br i1 %really, label %end, label %give
give:
  store atomic i32 0, ptr addrspace(1) %lock release, align 4
  br label %end
end:
  ret void
}

; One lane may take its lock where another one cannot.
; CHECK-LABEL: @locks_of_their_own
; CHECK-SAME: [[APART]]
; CHECK-NOT: call void @__lockstep_turn
define void @locks_of_their_own(ptr addrspace(1) %locks, ptr addrspace(1) %sum) {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %lock = getelementptr i32, ptr addrspace(1) %locks, i64 %id
  br label %loop
loop:
  %old = atomicrmw xchg ptr addrspace(1) %lock, i32 1 acquire
  %free = icmp eq i32 %old, 0
  br i1 %free, label %inside, label %loop
inside:
  store atomic i32 0, ptr addrspace(1) %lock release, align 4
  ret void
}

; To have the lock is not enough to go on: it may be another lane's turn to do something with it.
; CHECK-LABEL: @waits_with_the_lock
; CHECK-SAME: [[APART]]
; CHECK-NOT: call void @__lockstep_turn
define void @waits_with_the_lock(ptr addrspace(1) %lock, ptr addrspace(1) %turn) {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  br label %loop
loop:
  %old = atomicrmw xchg ptr addrspace(1) %lock, i32 1 acquire
  %free = icmp eq i32 %old, 0
  br i1 %free, label %inside, label %loop
inside:
  %whose = load volatile i64, ptr addrspace(1) %turn
  store atomic i32 0, ptr addrspace(1) %lock release, align 4
  %mine = icmp eq i64 %whose, %id
  br i1 %mine, label %end, label %loop
end:
  ret void
}

; What was read under the lock differs between lanes, and the analysis would not know.
; CHECK-LABEL: @takes_a_number
; CHECK-SAME: [[APART]]
; CHECK-NOT: call void @__lockstep_turn
define void @takes_a_number(ptr addrspace(1) %lock, ptr addrspace(1) %count, ptr addrspace(1) %out) {
entry:
  br label %loop
loop:
  %old = atomicrmw xchg ptr addrspace(1) %lock, i32 1 acquire
  %free = icmp eq i32 %old, 0
  br i1 %free, label %inside, label %loop
inside:
  %number = load volatile i64, ptr addrspace(1) %count
  store atomic i32 0, ptr addrspace(1) %lock release, align 4
  %at = getelementptr i32, ptr addrspace(1) %out, i64 %number
  store i32 1, ptr addrspace(1) %at
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)

; One turn begins where another one ends: behind it.
; CHECK-LABEL: @lock_behind_retry
; CHECK: call void @__lockstep_serial_begin()
; CHECK: cmpxchg
; CHECK: between:
; CHECK-NEXT: call void @__lockstep_serial_end()
; CHECK-NEXT: call void @__lockstep_serial_begin()
; CHECK-NEXT: br label %loop
; CHECK: store atomic i32 0, ptr addrspace(1) %lock
; CHECK-NEXT: call void @__lockstep_serial_end()
define void @lock_behind_retry(ptr addrspace(1) %lock, ptr addrspace(1) %sum) {
entry:
  br label %retry
retry:
  %seen = load volatile i32, ptr addrspace(1) %sum
  %next = mul i32 %seen, 3
  %pair = cmpxchg ptr addrspace(1) %sum, i32 %seen, i32 %next monotonic monotonic
  %done = extractvalue { i32, i1 } %pair, 1
  br i1 %done, label %between, label %retry
between:
  br label %loop
loop:
  %old = atomicrmw xchg ptr addrspace(1) %lock, i32 1 acquire
  %free = icmp eq i32 %old, 0
  br i1 %free, label %inside, label %loop
inside:
  %count = load i32, ptr addrspace(1) %sum
  %more = add i32 %count, 1
  store i32 %more, ptr addrspace(1) %sum
  store atomic i32 0, ptr addrspace(1) %lock release, align 4
  ret void
}

; CHECK-DAG: attributes [[TURNS]] = { "lockstep-form"="resumable" }
; CHECK-DAG: attributes [[APART]] = { "lockstep-form"="resumable" "lockstep-lanes-wait-for-each-other" }
