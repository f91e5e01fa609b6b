; RUN: env LOCKSTEP_FORM=auto lockstep-opt -passes=mark-waits %s 2>/dev/null | FileCheck %s
; At a pure site the launch is told which values end the loop: EndsBy << 4 in the last argument,
; beside the size and the number of the access.

; A ticket: equal (1 << 4 | 4 | 1 << 8).
; CHECK-LABEL: @ticket
; CHECK: %[[MINE:.*]] = zext i32 %mine to i64
; CHECK-NEXT: call void @__lockstep_ends_with(i64 %[[MINE]], i32 276)
; CHECK-NEXT: call void @__lockstep_wait(
define void @ticket(ptr addrspace(1) %next, i32 %mine) {
entry:
  br label %loop
loop:
  %now = load atomic i32, ptr addrspace(1) %next acquire, align 4
  %come = icmp eq i32 %mine, %now
  br i1 %come, label %end, label %loop
end:
  ret void
}

; A count that is reached, the loop goes on while it is less: at least (6), of the second access.
; CHECK-LABEL: @count
; CHECK: call void @__lockstep_ends_with(i64 1000, i32 612)
define void @count(ptr addrspace(1) %count) {
entry:
  br label %loop
loop:
  %now = load atomic i32, ptr addrspace(1) %count acquire, align 4
  %less = icmp ult i32 %now, 1000
  br i1 %less, label %loop, label %end
end:
  ret void
}

; The value on the other side: n < now is now > n (signed: 9), of eight bytes.
; CHECK-LABEL: @turned
; CHECK: call void @__lockstep_ends_with(i64 %n, i32 920)
define void @turned(ptr addrspace(1) %count, i64 %n) {
entry:
  br label %loop
loop:
  %now = load atomic i64, ptr addrspace(1) %count acquire, align 8
  %more = icmp slt i64 %n, %now
  br i1 %more, label %end, label %loop
end:
  ret void
}

; Locks: a swap that expects 0, and an exchange that finds it.
; CHECK-LABEL: @swap
; CHECK: call void @__lockstep_ends_with(i64 0, i32 1044)
define void @swap(ptr addrspace(1) %lock) {
entry:
  br label %loop
loop:
  %pair = cmpxchg ptr addrspace(1) %lock, i32 0, i32 1 seq_cst seq_cst
  %done = extractvalue { i32, i1 } %pair, 1
  br i1 %done, label %end, label %loop
end:
  ret void
}

; CHECK-LABEL: @exchange
; CHECK: call void @__lockstep_ends_with(i64 0, i32 1300)
define void @exchange(ptr addrspace(1) %lock) {
entry:
  br label %loop
loop:
  %old = atomicrmw xchg ptr addrspace(1) %lock, i32 1 acq_rel
  %free = icmp eq i32 %old, 0
  br i1 %free, label %end, label %loop
end:
  ret void
}

; Not a comparison of the value itself, or with something that changes, or of several exits: any
; other value is worth a resumption.
; CHECK-LABEL: @bit
; CHECK-NOT: __lockstep_ends_with
; CHECK: call void @__lockstep_wait(
define void @bit(ptr addrspace(1) %flags) {
entry:
  br label %loop
loop:
  %now = load atomic i32, ptr addrspace(1) %flags acquire, align 4
  %bit = and i32 %now, 4
  %set = icmp ne i32 %bit, 0
  br i1 %set, label %end, label %loop
end:
  ret void
}

; CHECK-LABEL: @two_ends
; CHECK-NOT: __lockstep_ends_with
; CHECK: call void @__lockstep_wait(
define i32 @two_ends(ptr addrspace(1) %state) {
entry:
  br label %loop
loop:
  %now = load atomic i32, ptr addrspace(1) %state acquire, align 4
  %one = icmp eq i32 %now, 1
  br i1 %one, label %end, label %again
again:
  %two = icmp eq i32 %now, 2
  br i1 %two, label %end, label %loop
end:
  ret i32 %now
}

; A count of its own may end it too, so it is resumed in each round.
; CHECK-LABEL: @not_pure
; CHECK-NOT: __lockstep_ends_with
; CHECK: call void @__lockstep_wait(
define void @not_pure(ptr addrspace(1) %flag, ptr addrspace(1) %rounds) {
entry:
  br label %loop
loop:
  %now = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %count = atomicrmw add ptr addrspace(1) %rounds, i32 1 monotonic
  %set = icmp eq i32 %now, 1
  br i1 %set, label %end, label %loop
end:
  ret void
}
