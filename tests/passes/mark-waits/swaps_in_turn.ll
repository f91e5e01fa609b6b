; RUN: env LOCKSTEP_FORM=auto lockstep-opt -passes=mark-waits %s 2>/dev/null | FileCheck %s
; A compare-and-swap loop that nobody waits in: one lane at a time, from the load of the value that
; it expects first, which moves down to the loop.

; CHECK-LABEL: @retry
; CHECK: %other = mul i32 %factor, 3
; CHECK-NEXT: call void @__lockstep_serial_begin()
; CHECK-NEXT: %first = load volatile
; CHECK-NEXT: %first.float = bitcast
; CHECK-NEXT: br label %loop
; CHECK-NOT: __lockstep_wait
; CHECK: end:
; CHECK-NEXT: call void @__lockstep_serial_end()
define void @retry(ptr addrspace(1) %p, i32 %factor) {
entry:
  %first = load volatile i32, ptr addrspace(1) %p
  %first.float = bitcast i32 %first to float
  %other = mul i32 %factor, 3
  br label %loop
loop:
  %now = phi float [ %first.float, %entry ], [ %seen.float, %loop ]
  %old = bitcast float %now to i32
  %new = mul i32 %old, %other
  %pair = cmpxchg ptr addrspace(1) %p, i32 %old, i32 %new seq_cst seq_cst
  %seen = extractvalue { i32, i1 } %pair, 0
  %seen.float = bitcast i32 %seen to float
  %done = extractvalue { i32, i1 } %pair, 1
  br i1 %done, label %end, label %loop
end:
  ret void
}

; Another access comes in between: the load stays where it is.
; CHECK-LABEL: @load_stays
; CHECK: load i32
; CHECK-NEXT: store i32 %first
; CHECK-NEXT: call void @__lockstep_serial_begin()
define void @load_stays(ptr addrspace(1) %p, ptr addrspace(1) %q) {
entry:
  %first = load i32, ptr addrspace(1) %p
  store i32 %first, ptr addrspace(1) %q
  br label %loop
loop:
  %old = phi i32 [ %first, %entry ], [ %seen, %loop ]
  %new = add i32 %old, 1
  %pair = cmpxchg ptr addrspace(1) %p, i32 %old, i32 %new seq_cst seq_cst
  %seen = extractvalue { i32, i1 } %pair, 0
  %done = icmp eq i32 %seen, %old
  br i1 %done, label %end, label %loop
end:
  ret void
}

; A lock of one bit: it expects something made of what it read, and fails while somebody has it.
; CHECK-LABEL: @bit_lock
; CHECK-NOT: serial_begin
; CHECK: call void @__lockstep_wait
define void @bit_lock(ptr addrspace(1) %p, ptr addrspace(1) %q) {
entry:
  br label %loop
loop:
  %now = load atomic i32, ptr addrspace(1) %p monotonic, align 4
  %old = and i32 %now, -2
  %new = or i32 %old, 1
  %pair = cmpxchg ptr addrspace(1) %p, i32 %old, i32 %new seq_cst seq_cst
  %done = extractvalue { i32, i1 } %pair, 1
  br i1 %done, label %end, label %loop
end:
  store atomic i32 0, ptr addrspace(1) %p release, align 4
  ret void
}

; It keeps what it expects until that comes back.
; CHECK-LABEL: @until_it_comes_back
; CHECK-NOT: serial_begin
; CHECK: call void @__lockstep_wait
define void @until_it_comes_back(ptr addrspace(1) %p) {
entry:
  %first = load i32, ptr addrspace(1) %p
  br label %loop
loop:
  %old = phi i32 [ %first, %entry ], [ %kept, %loop ]
  %pair = cmpxchg ptr addrspace(1) %p, i32 %old, i32 7 seq_cst seq_cst
  %seen = extractvalue { i32, i1 } %pair, 0
  %done = extractvalue { i32, i1 } %pair, 1
  %taken = icmp eq i32 %seen, 7
  %kept = select i1 %taken, i32 %old, i32 %seen
  br i1 %done, label %end, label %loop
end:
  ret void
}
