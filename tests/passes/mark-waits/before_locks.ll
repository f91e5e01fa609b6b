; RUN: env LOCKSTEP_FORM=auto lockstep-opt -passes=mark-waits --local-size=48,1,1 %s 2>/dev/null | FileCheck %s
; RUN: env LOCKSTEP_FORM=sub-groups lockstep-opt -passes=mark-waits --local-size=48,1,1 %s 2>/dev/null | FileCheck %s --check-prefix=SUB
; Where a group that is suspended as a whole may stop before it takes a lock.

; SUB-NOT: call void @__lockstep_before_lock

; CHECK-LABEL: define void @spin(
; CHECK: take:
; CHECK-NEXT: %[[LOCK:.*]] = addrspacecast ptr addrspace(1) %lock to ptr addrspace(4)
; CHECK-NEXT: call void @__lockstep_before_lock(ptr addrspace(4) %[[LOCK]])
; CHECK-NEXT: br label %loop
define void @spin(ptr addrspace(1) %lock, ptr addrspace(1) %data) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %first = icmp eq i64 %id, 0
  br i1 %first, label %take, label %end
take:
  br label %loop
loop:
  %was = atomicrmw xchg ptr addrspace(1) %lock, i32 1 acquire
  %is.free = icmp eq i32 %was, 0
  br i1 %is.free, label %mine, label %loop
mine:
  %old = load i32, ptr addrspace(1) %data
  %new = mul i32 %old, 3
  store i32 %new, ptr addrspace(1) %data
  store atomic i32 0, ptr addrspace(1) %lock release, align 4
  br label %end
end:
  ret void
}

; A ticket lock has an order of its own.
; CHECK-LABEL: define void @ticket(
; CHECK-NOT: call void @__lockstep_before_lock
; CHECK: ret void
define void @ticket(ptr addrspace(1) %next, ptr addrspace(1) %served, ptr addrspace(1) %data) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %first = icmp eq i64 %id, 0
  br i1 %first, label %take, label %end
take:
  %my = atomicrmw add ptr addrspace(1) %next, i32 1 monotonic
  br label %loop
loop:
  %now = atomicrmw add ptr addrspace(1) %served, i32 0 acquire
  %is.mine = icmp eq i32 %now, %my
  br i1 %is.mine, label %mine, label %loop
mine:
  %old = load i32, ptr addrspace(1) %data
  %new = mul i32 %old, 3
  store i32 %new, ptr addrspace(1) %data
  %after = add i32 %my, 1
  store atomic i32 %after, ptr addrspace(1) %served release, align 4
  br label %end
end:
  ret void
}

; Not before the second lock, while the first one is held.
; CHECK-LABEL: define void @two(
; CHECK: call void @__lockstep_before_lock
; CHECK-NOT: call void @__lockstep_before_lock
; CHECK: ret void
define void @two(ptr addrspace(1) %lock, ptr addrspace(1) %other) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %first = icmp eq i64 %id, 0
  br i1 %first, label %take, label %end
take:
  br label %loop
loop:
  %was = atomicrmw xchg ptr addrspace(1) %lock, i32 1 acquire
  %is.free = icmp eq i32 %was, 0
  br i1 %is.free, label %take.other, label %loop
take.other:
  br label %loop.other
loop.other:
  %was.other = atomicrmw xchg ptr addrspace(1) %other, i32 1 acquire
  %is.other.free = icmp eq i32 %was.other, 0
  br i1 %is.other.free, label %mine, label %loop.other
mine:
  store atomic i32 0, ptr addrspace(1) %other release, align 4
  store atomic i32 0, ptr addrspace(1) %lock release, align 4
  br label %end
end:
  ret void
}

; Others end these waits: a flag of the group before, and a token that another group makes.
; CHECK-LABEL: define void @chain(
; CHECK-NOT: call void @__lockstep_before_lock
; CHECK: ret void
define void @chain(ptr addrspace(1) %flags) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %before = getelementptr i32, ptr addrspace(1) %flags, i64 %group
  %first = icmp eq i64 %id, 0
  br i1 %first, label %loop, label %end
loop:
  %set = load atomic i32, ptr addrspace(1) %before acquire, align 4
  %is.set = icmp ne i32 %set, 0
  br i1 %is.set, label %next, label %loop
next:
  %own = getelementptr i32, ptr addrspace(1) %before, i64 1
  store atomic i32 1, ptr addrspace(1) %own release, align 4
  br label %end
end:
  ret void
}

; CHECK-LABEL: define void @token(
; CHECK-NOT: call void @__lockstep_before_lock
; CHECK: ret void
define void @token(ptr addrspace(1) %token, ptr addrspace(1) %out) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %first = icmp eq i64 %id, 0
  br i1 %first, label %loop, label %end
loop:
  %was = atomicrmw xchg ptr addrspace(1) %token, i32 0 acquire
  %is.there = icmp ne i32 %was, 0
  br i1 %is.there, label %mine, label %loop
mine:
  store i32 %was, ptr addrspace(1) %out
  br label %end
end:
  ret void
}

; Not in a loop: the group would stop in each iteration.
; CHECK-LABEL: define void @again(
; CHECK-NOT: call void @__lockstep_before_lock
; CHECK: ret void
define void @again(ptr addrspace(1) %lock, ptr addrspace(1) %data) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %first = icmp eq i64 %id, 0
  br i1 %first, label %outer, label %end
outer:
  %i = phi i32 [ 0, %entry ], [ %next, %mine ]
  br label %loop
loop:
  %was = atomicrmw xchg ptr addrspace(1) %lock, i32 1 acquire
  %is.free = icmp eq i32 %was, 0
  br i1 %is.free, label %mine, label %loop
mine:
  store i32 %i, ptr addrspace(1) %data
  store atomic i32 0, ptr addrspace(1) %lock release, align 4
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 10
  br i1 %more, label %outer, label %end
end:
  ret void
}

declare i64 @__lockstep_local_id(i32)
declare i64 @__lockstep_group_id(i32)
