; RUN: env LOCKSTEP_FORM=auto lockstep-opt -passes=mark-waits %s 2>/dev/null | FileCheck %s

; What a loop reads by ordinary loads can be changed by others without a race if it synchronizes.

; do { lock; s = *n; unlock; } while (s < count);
; CHECK-LABEL: @under_lock
; CHECK: spin:
; CHECK: @__lockstep_wait
; CHECK: read:
; CHECK: %s = load volatile i32
; CHECK: call void @__lockstep_seen
; CHECK: call void @__lockstep_wait
define void @under_lock(ptr addrspace(1) noalias %l, ptr addrspace(1) %n, i32 %count) {
entry:
  br label %loop
loop:
  br label %spin
spin:
  %old = atomicrmw xchg ptr addrspace(1) %l, i32 1 acq_rel
  %taken = icmp eq i32 %old, 0
  br i1 %taken, label %read, label %spin
read:
  %s = load i32, ptr addrspace(1) %n
  store atomic i32 0, ptr addrspace(1) %l release, align 4
  %more = icmp slt i32 %s, %count
  br i1 %more, label %loop, label %end
end:
  ret void
}

; The same in one try: an atomic function of OpenCL 1.x orders nothing, but is used for locks.
; CHECK-LABEL: @under_relaxed_try
; CHECK: call void @__lockstep_wait
define void @under_relaxed_try(ptr addrspace(1) %l, ptr addrspace(1) %n, i32 %count) {
entry:
  br label %loop
loop:
  %last = phi i32 [ 0, %entry ], [ %last, %loop ], [ %s, %held ]
  %old = atomicrmw xchg ptr addrspace(1) %l, i32 1 monotonic
  %taken = icmp eq i32 %old, 0
  br i1 %taken, label %held, label %loop
held:
  %s = load i32, ptr addrspace(1) %n
  %free = atomicrmw xchg ptr addrspace(1) %l, i32 0 monotonic
  %more = icmp slt i32 %s, %count
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: @after_fence
; CHECK: call void @__lockstep_seen
; CHECK: call void @__lockstep_wait
define void @after_fence(ptr addrspace(1) %flag) {
entry:
  br label %loop
loop:
  %value = load i32, ptr addrspace(1) %flag
  fence acq_rel
  %set = icmp ne i32 %value, 0
  br i1 %set, label %end, label %loop
end:
  ret void
}

; A structure that is copied under a lock.
; CHECK-LABEL: @copied
; CHECK: call void @llvm.memcpy
; CHECK: call void @__lockstep_seen(ptr addrspace(4) %{{[0-9]+}}, i64 0, i32 {{[0-9]+}})
; CHECK: call void @__lockstep_wait
define void @copied(ptr addrspace(1) %ready, ptr addrspace(1) %state) {
entry:
  %copy = alloca [8 x i32]
  %place = getelementptr i8, ptr %copy, i64 4
  br label %loop
loop:
  %old = load atomic i32, ptr addrspace(1) %ready acquire, align 4
  %odd = trunc i32 %old to i1
  br i1 %odd, label %look, label %again
look:
  call void @llvm.memcpy.p0.p1.i64(ptr %copy, ptr addrspace(1) %state, i64 32, i1 false)
  %value = load i32, ptr %place
  %set = icmp ne i32 %value, 0
  br i1 %set, label %end, label %again
again:
  br label %loop
end:
  ret void
}

; Nobody looks at what the update read, so nobody knows whether it came before or after.
; CHECK-LABEL: @only_adds
; CHECK-NOT: __lockstep_wait
define void @only_adds(ptr addrspace(1) %next, ptr addrspace(1) %sums) {
entry:
  br label %loop
loop:
  %at = phi i32 [ 0, %entry ], [ %to, %loop ]
  %sum = getelementptr i32, ptr addrspace(1) %sums, i32 %at
  %old = atomicrmw add ptr addrspace(1) %sum, i32 1 acq_rel
  %place = getelementptr i32, ptr addrspace(1) %next, i32 %at
  %to = load i32, ptr addrspace(1) %place
  %more = icmp ne i32 %to, 0
  br i1 %more, label %loop, label %end
end:
  ret void
}

; It counts: whatever the bound is, it is reached.
; CHECK-LABEL: @counts
; CHECK-NOT: __lockstep_wait
define void @counts(ptr addrspace(1) %bound, ptr addrspace(1) %marks) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %mark = getelementptr i32, ptr addrspace(1) %marks, i64 %i
  %pair = cmpxchg ptr addrspace(1) %mark, i32 0, i32 1 seq_cst seq_cst
  %first = extractvalue { i32, i1 } %pair, 1
  br i1 %first, label %then, label %join
then:
  store i64 %i, ptr addrspace(1) %marks
  br label %join
join:
  %next = add i64 %i, 1
  %count = load i32, ptr addrspace(1) %bound
  %wide = zext i32 %count to i64
  %more = icmp ult i64 %next, %wide
  br i1 %more, label %loop, label %end
end:
  ret void
}

; The bound may be 2^64, which is never reached: it is there to be changed.
; CHECK-LABEL: @counts_for_ever
; CHECK: call void @__lockstep_wait
define void @counts_for_ever(ptr addrspace(1) %bound, ptr addrspace(1) %l) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ], [ %next, %held ]
  %next = add i64 %i, 1
  %old = atomicrmw xchg ptr addrspace(1) %l, i32 1 acq_rel
  %taken = icmp eq i32 %old, 0
  br i1 %taken, label %held, label %loop
held:
  %count = load i64, ptr addrspace(1) %bound
  store atomic i32 0, ptr addrspace(1) %l release, align 4
  %more = icmp ult i64 %next, %count
  br i1 %more, label %loop, label %end
end:
  ret void
}

declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)
