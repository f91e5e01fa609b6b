; RUN: env LOCKSTEP_FORM=auto lockstep-opt -passes=mark-waits %s 2>/dev/null | FileCheck %s

; An atomic addition ends a loop by itself only in the right direction, by order, and undisturbed.

; while (atomic_inc(l) != 0) atomic_dec(l);
; CHECK-LABEL: @undone
; CHECK: %old = atomicrmw add
; CHECK: call void @__lockstep_seen
; CHECK: %back = atomicrmw sub
; CHECK: load atomic i32, ptr addrspace(1) %l monotonic
; CHECK: icmp ne i32 %at.begin
; CHECK: call void @__lockstep_wait
define void @undone(ptr addrspace(1) %l) {
entry:
  br label %loop
loop:
  %old = atomicrmw add ptr addrspace(1) %l, i32 1 monotonic
  %free = icmp eq i32 %old, 0
  br i1 %free, label %end, label %again
again:
  %back = atomicrmw sub ptr addrspace(1) %l, i32 1 monotonic
  br label %loop
end:
  ret void
}

; The other pointer may be the same buffer.
; CHECK-LABEL: @undone_elsewhere
; CHECK: call void @__lockstep_wait
define void @undone_elsewhere(ptr addrspace(1) %l, ptr addrspace(1) %m) {
entry:
  br label %loop
loop:
  %old = atomicrmw add ptr addrspace(1) %l, i32 1 monotonic
  %free = icmp sge i32 %old, 5
  br i1 %free, label %end, label %again
again:
  %back = atomicrmw xchg ptr addrspace(1) %m, i32 0 monotonic
  br label %loop
end:
  ret void
}

; One that passes the value goes on until it comes again.
; CHECK-LABEL: @not_equal
; CHECK: call void @__lockstep_wait
define void @not_equal(ptr addrspace(1) %l) {
entry:
  br label %loop
loop:
  %old = atomicrmw add ptr addrspace(1) %l, i32 1 monotonic
  %free = icmp eq i32 %old, 0
  br i1 %free, label %end, label %loop
end:
  ret void
}

; A semaphore: it counts away from what it waits for.
; CHECK-LABEL: @wrong_way
; CHECK: call void @__lockstep_wait
define void @wrong_way(ptr addrspace(1) %free) {
entry:
  br label %loop
loop:
  %old = atomicrmw sub ptr addrspace(1) %free, i32 1 monotonic
  %some = icmp sgt i32 %old, 0
  br i1 %some, label %end, label %loop
end:
  ret void
}

; The first work-item takes the next piece for all. Plain stores cannot meet the counter.
; CHECK-LABEL: @pieces_for_a_group
; CHECK-NOT: __lockstep_wait
@piece = internal addrspace(3) global i32 undef
define void @pieces_for_a_group(ptr addrspace(1) %next, ptr addrspace(1) %out, i32 %count) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %first = icmp eq i64 %id, 0
  br label %loop
loop:
  br i1 %first, label %take, label %join
take:
  %old = atomicrmw add ptr addrspace(1) %next, i32 16 seq_cst
  store i32 %old, ptr addrspace(3) @piece
  br label %join
join:
  call void @__lockstep_barrier(i32 1)
  %mine = load i32, ptr addrspace(3) @piece
  call void @__lockstep_barrier(i32 1)
  %more = icmp slt i32 %mine, %count
  br i1 %more, label %work, label %end
work:
  %place = getelementptr i32, ptr addrspace(1) %out, i32 %mine
  store i32 %mine, ptr addrspace(1) %place
  br label %loop
end:
  ret void
}

; A swap fails for ever if the loop itself disturbs what it expects.
; CHECK-LABEL: @disturbed_swap
; CHECK: call void @__lockstep_wait
define void @disturbed_swap(ptr addrspace(1) %p) {
entry:
  br label %loop
loop:
  %old = load atomic i32, ptr addrspace(1) %p monotonic, align 4
  %other = atomicrmw or ptr addrspace(1) %p, i32 1 monotonic
  %pair = cmpxchg ptr addrspace(1) %p, i32 %old, i32 2 seq_cst seq_cst
  %done = extractvalue { i32, i1 } %pair, 1
  br i1 %done, label %end, label %loop
end:
  ret void
}

; A barrier of all groups in each step of a loop that counts: the goal depends on the step, which is
; the same whichever way it is computed.
; CHECK-LABEL: @steps
; CHECK: poll:
; CHECK: call void @__lockstep_wait(i32 {{[0-9]+}}
; CHECK: join:
; CHECK-NOT: call void @__lockstep_wait
define void @steps(ptr addrspace(1) %arrived, i32 %groups, i32 %count) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %first = icmp eq i64 %id, 0
  br label %loop
loop:
  %t = phi i32 [ 0, %entry ], [ %t.next, %join ]
  call void @__lockstep_barrier(i32 2)
  br i1 %first, label %meet, label %other
other:
  %t.other = add nuw i32 %t, 1
  br label %join
meet:
  %t.first = add i32 %t, 1
  %goal = mul i32 %t.first, %groups
  %me = atomicrmw add ptr addrspace(1) %arrived, i32 1 acq_rel
  br label %poll
poll:
  %seen = load atomic i32, ptr addrspace(1) %arrived acquire, align 4
  %all = icmp uge i32 %seen, %goal
  br i1 %all, label %join, label %poll
join:
  %t.next = phi i32 [ %t.other, %other ], [ %t.first, %poll ]
  call void @__lockstep_barrier(i32 2)
  %more = icmp ult i32 %t.next, %count
  br i1 %more, label %loop, label %end
end:
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare void @__lockstep_barrier(i32) convergent nounwind
