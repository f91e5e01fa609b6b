; RUN: env LOCKSTEP_FORM=auto lockstep-opt -passes=mark-waits %s 2>/dev/null | FileCheck %s

; A count ends a loop only if it comes to its bound: then what is read by ordinary loads under a lock (here: an acquiring
; exchange that is looked at) may be left alone. Else others have to write it.

; Each round moves the bound on, as long as somebody is there.
; CHECK-LABEL: @watchdog
; CHECK: call void @__lockstep_wait
define void @watchdog(ptr addrspace(1) %lock, ptr addrspace(1) %alive) {
entry:
  br label %loop
loop:
  %now = phi i32 [ 0, %entry ], [ %next, %loop ]
  %seen = atomicrmw add ptr addrspace(1) %lock, i32 0 acquire
  call void @use(i32 %seen)
  %next = add i32 %now, 1
  %more = load i32, ptr addrspace(1) %alive
  %end = add i32 %next, %more
  %in.time = icmp ult i32 %next, %end
  br i1 %in.time, label %loop, label %exit
exit:
  ret void
}

; CHECK-LABEL: @watchdog_by_a_variable
; CHECK: call void @__lockstep_wait
define void @watchdog_by_a_variable(ptr addrspace(1) %lock, ptr addrspace(1) %alive) {
entry:
  br label %loop
loop:
  %now = phi i32 [ 0, %entry ], [ %next, %loop ]
  %end = phi i32 [ 10, %entry ], [ %end.next, %loop ]
  %seen = atomicrmw add ptr addrspace(1) %lock, i32 0 acquire
  call void @use(i32 %seen)
  %next = add i32 %now, 1
  %there = load i32, ptr addrspace(1) %alive
  %is.there = icmp ne i32 %there, 0
  %later = add i32 %end, 1
  %end.next = select i1 %is.there, i32 %later, i32 %end
  %in.time = icmp ult i32 %next, %end.next
  br i1 %in.time, label %loop, label %exit
exit:
  ret void
}

; CHECK-LABEL: @watchdog_in_memory
; CHECK: call void @__lockstep_wait
define void @watchdog_in_memory(ptr addrspace(1) %lock, ptr addrspace(1) %p) {
entry:
  %end = getelementptr i32, ptr addrspace(1) %p, i64 1
  br label %loop
loop:
  %now = phi i32 [ 0, %entry ], [ %next, %loop ]
  %seen = atomicrmw add ptr addrspace(1) %lock, i32 0 acquire
  call void @use(i32 %seen)
  %next = add i32 %now, 1
  %more = load i32, ptr addrspace(1) %p
  %before = load i32, ptr addrspace(1) %end
  %after = add i32 %before, %more
  store i32 %after, ptr addrspace(1) %end
  %in.time = icmp ult i32 %next, %before
  br i1 %in.time, label %loop, label %exit
exit:
  ret void
}

; `i <= n` is true for ever if n is the largest number.
; CHECK-LABEL: @at_most
; CHECK: call void @__lockstep_wait
define void @at_most(ptr addrspace(1) %lock, ptr addrspace(1) %bound) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %seen = atomicrmw add ptr addrspace(1) %lock, i32 0 acquire
  call void @use(i32 %seen)
  %next = add i32 %i, 1
  %n = load i32, ptr addrspace(1) %bound
  %more = icmp ule i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; Steps of 64 may pass over the last numbers; where that overflows it is undefined, and nobody's wait.
; CHECK-LABEL: @long_steps
; CHECK: call void @__lockstep_wait
define void @long_steps(ptr addrspace(1) %lock, ptr addrspace(1) %bound) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %seen = atomicrmw add ptr addrspace(1) %lock, i32 0 acquire
  call void @use(i32 %seen)
  %next = add i32 %i, 64
  %n = load i32, ptr addrspace(1) %bound
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; CHECK-LABEL: @long_signed_steps
; CHECK-NOT: call void @__lockstep_wait
define void @long_signed_steps(ptr addrspace(1) %lock, ptr addrspace(1) %bound) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %seen = atomicrmw add ptr addrspace(1) %lock, i32 0 acquire
  call void @use(i32 %seen)
  %next = add nsw i32 %i, 64
  %n = load i32, ptr addrspace(1) %bound
  %more = icmp sle i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; Sixteen bits never get to what needs more.
; CHECK-LABEL: @few_bits
; CHECK: call void @__lockstep_wait
define void @few_bits(ptr addrspace(1) %lock, ptr addrspace(1) %bound) {
entry:
  br label %loop
loop:
  %i = phi i16 [ 0, %entry ], [ %next, %loop ]
  %seen = atomicrmw add ptr addrspace(1) %lock, i32 0 acquire
  call void @use(i32 %seen)
  %next = add i16 %i, 1
  %wide = zext i16 %next to i32
  %n = load i32, ptr addrspace(1) %bound
  %more = icmp ult i32 %wide, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; They do get to what has no more.
; CHECK-LABEL: @enough_bits
; CHECK-NOT: call void @__lockstep_wait
define void @enough_bits(ptr addrspace(1) %lock, ptr addrspace(1) %bound) {
entry:
  br label %loop
loop:
  %i = phi i16 [ 0, %entry ], [ %next, %loop ]
  %seen = atomicrmw add ptr addrspace(1) %lock, i32 0 acquire
  call void @use(i32 %seen)
  %next = add i16 %i, 1
  %wide = zext i16 %next to i32
  %read = load i16, ptr addrspace(1) %bound
  %n = zext i16 %read to i32
  %more = icmp ult i32 %wide, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; A count that is known beforehand, and too long for anybody, beside what somebody else writes.
; CHECK-LABEL: @for_years
; CHECK: call void @__lockstep_wait
define void @for_years(ptr addrspace(1) %lock, ptr addrspace(1) %flag, i64 %tries) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %again ]
  %seen = atomicrmw add ptr addrspace(1) %lock, i32 0 acquire
  call void @use(i32 %seen)
  %value = load i32, ptr addrspace(1) %flag
  %is.set = icmp ne i32 %value, 0
  br i1 %is.set, label %exit, label %again
again:
  %next = add nuw i64 %i, 1
  %more = icmp ult i64 %next, %tries
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; This one ends in seconds.
; CHECK-LABEL: @for_seconds
; CHECK-NOT: call void @__lockstep_wait
define void @for_seconds(ptr addrspace(1) %lock, ptr addrspace(1) %flag, i32 %tries) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %again ]
  %seen = atomicrmw add ptr addrspace(1) %lock, i32 0 acquire
  call void @use(i32 %seen)
  %value = load i32, ptr addrspace(1) %flag
  %is.set = icmp ne i32 %value, 0
  br i1 %is.set, label %exit, label %again
again:
  %next = add nuw i32 %i, 1
  %more = icmp ult i32 %next, %tries
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; Another buffer's elements are written: the bound stays.
; CHECK-LABEL: @others_are_written
; CHECK-NOT: call void @__lockstep_wait
define void @others_are_written(ptr addrspace(1) %lock, ptr addrspace(1) %bound, ptr addrspace(1) %out) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %seen = atomicrmw add ptr addrspace(1) %lock, i32 0 acquire
  call void @use(i32 %seen)
  %old = load i32, ptr addrspace(1) %out
  %new = add i32 %old, %i
  store i32 %new, ptr addrspace(1) %out
  %next = add i32 %i, 1
  %n = load i32, ptr addrspace(1) %bound
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

declare void @use(i32) nounwind willreturn memory(none)
