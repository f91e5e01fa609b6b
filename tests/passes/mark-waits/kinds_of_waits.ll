; RUN: env LOCKSTEP_FORM=auto lockstep-opt -passes=mark-waits %s 2>/dev/null | FileCheck %s

; A lock whose swap expects what it read, but goes round without trying while the lock is taken.
; CHECK-LABEL: @lock_bit
; CHECK: load atomic
; CHECK: call void @__lockstep_seen
; CHECK: %[[CHANGED:.*]] = phi i1 [ %[[BEFORE:.*]], %loop ], [ %[[SWAPPED:.*]], %try ]
; CHECK: call void @__lockstep_wait(i32 0, i1 %[[CHANGED]])
; CHECK: cmpxchg
; CHECK: %[[SWAPPED]] = or i1 %[[BEFORE]], %{{[0-9]+}}
define void @lock_bit(ptr addrspace(1) %lock) {
entry:
  br label %loop
loop:
  %old = load atomic i32, ptr addrspace(1) %lock acquire, align 4
  %bit = and i32 %old, 1
  %taken = icmp ne i32 %bit, 0
  br i1 %taken, label %loop, label %try
try:
  %new = or i32 %old, 1
  %pair = cmpxchg ptr addrspace(1) %lock, i32 %old, i32 %new seq_cst seq_cst
  %done = extractvalue { i32, i1 } %pair, 1
  br i1 %done, label %end, label %loop
end:
  ret void
}

; An atomic or with 0 is a load: it never changes memory.
; CHECK-LABEL: @read_by_or
; CHECK: %new = or i32 %value, 0
; CHECK: %[[DIFFERS:.*]] = icmp ne i32 %value, %new
; CHECK: %[[OR:.*]] = or i1 %changed.0, %[[DIFFERS]]
; CHECK: call void @__lockstep_wait(i32 1, i1 %[[OR]])
define void @read_by_or(ptr addrspace(1) %flag) {
entry:
  br label %loop
loop:
  %value = atomicrmw or ptr addrspace(1) %flag, i32 0 monotonic
  %set = icmp ne i32 %value, 0
  br i1 %set, label %end, label %loop
end:
  ret void
}

; A counter ends it as well: it changes in each round.
; CHECK-LABEL: @bounded
; CHECK: %[[CHANGED:.*]] = icmp ne i32 %i, %next
; CHECK: %[[OR:.*]] = or i1 %changed.0, %[[CHANGED]]
; CHECK: call void @__lockstep_wait(i32 {{[0-9]+}}, i1 %[[OR]])
define void @bounded(ptr addrspace(1) %flag) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %again ]
  %value = load volatile i32, ptr addrspace(1) %flag
  %set = icmp ne i32 %value, 0
  br i1 %set, label %end, label %again
again:
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 1000
  br i1 %more, label %loop, label %end
end:
  ret void
}

; How often it went round is only told afterwards; the back-off inside ends by itself.
; CHECK-LABEL: @back_off
; CHECK: pause:
; CHECK-NOT: __lockstep_wait
; CHECK: after:
; CHECK: call void @__lockstep_wait(i32 {{[0-9]+}}, i1 %changed.0)
define i32 @back_off(ptr addrspace(1) %flag) {
entry:
  br label %loop
loop:
  %delay = phi i32 [ 1, %entry ], [ %longer, %after ]
  %value = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp ne i32 %value, 0
  br i1 %set, label %end, label %pause
pause:
  %i = phi i32 [ 0, %loop ], [ %next, %pause ]
  %next = add i32 %i, 1
  fence seq_cst
  %more = icmp ult i32 %next, %delay
  br i1 %more, label %pause, label %after
after:
  %longer = shl i32 %delay, 1
  br label %loop
end:
  ret i32 %delay
}

; One work-item polls and tells the others by local memory.
; CHECK-LABEL: @told
; CHECK: call void @__lockstep_seen
; CHECK: call void @__lockstep_wait
@flag = internal addrspace(3) global i32 undef
define void @told(ptr addrspace(1) %p) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %first = icmp eq i64 %id, 0
  br label %loop
loop:
  br i1 %first, label %poll, label %join
poll:
  %value = load atomic i32, ptr addrspace(1) %p acquire, align 4
  store i32 %value, ptr addrspace(3) @flag
  br label %join
join:
  call void @__lockstep_barrier(i32 1)
  %seen = load i32, ptr addrspace(3) @flag
  call void @__lockstep_barrier(i32 1)
  %set = icmp ne i32 %seen, 0
  br i1 %set, label %end, label %loop
end:
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare void @__lockstep_barrier(i32) convergent nounwind

; Kind (1: a wait), file, line, column, pure.
; CHECK: !{i32 1, !"", i32 0, i32 0, i32 0}
; CHECK: !{i32 1, !"", i32 0, i32 0, i32 1}
; CHECK: !{i32 1, !"", i32 0, i32 0, i32 0}
; CHECK: !{i32 1, !"", i32 0, i32 0, i32 1}
; CHECK: !{i32 1, !"", i32 0, i32 0, i32 0}
