; RUN: lockstep-opt -passes=update-loops %s 2>&1 | FileCheck %s
; CHECK-NOT: one atomic update
; CHECK-NOT: atomicrmw
; CHECK-NOT: atomic_multiply

; A lock waits: it does not store an operation of the old value.
define void @lock(ptr addrspace(1) %p) {
entry:
  br label %loop
loop:
  %swap = cmpxchg volatile ptr addrspace(1) %p, i32 0, i32 1 monotonic monotonic, align 4
  %done = extractvalue { i32, i1 } %swap, 1
  br i1 %done, label %end, label %loop
end:
  ret void
}

; The loop gives up after some attempts, so the update may be left out.
define void @gives_up(ptr addrspace(1) %p, i32 %v) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %again ]
  %old = load volatile i32, ptr addrspace(1) %p
  %new = add i32 %old, %v
  %swap = cmpxchg volatile ptr addrspace(1) %p, i32 %old, i32 %new monotonic monotonic, align 4
  %done = extractvalue { i32, i1 } %swap, 1
  br i1 %done, label %end, label %again
again:
  %next = add i32 %i, 1
  %few = icmp ult i32 %next, 8
  br i1 %few, label %loop, label %end
end:
  ret void
}

; The new value comes from another read than the one that the swap compares.
define void @two_reads(ptr addrspace(1) %p, i32 %v) {
entry:
  br label %loop
loop:
  %old = load volatile i32, ptr addrspace(1) %p
  %other = load volatile i32, ptr addrspace(1) %p
  %new = add i32 %other, %v
  %swap = cmpxchg volatile ptr addrspace(1) %p, i32 %old, i32 %new monotonic monotonic, align 4
  %done = extractvalue { i32, i1 } %swap, 1
  br i1 %done, label %end, label %loop
end:
  ret void
}

; A sum of floats may not be reordered without `reassoc`.
define void @ordered_sum(ptr addrspace(1) %p, float %v) {
entry:
  br label %loop
loop:
  %old = load volatile i32, ptr addrspace(1) %p
  %number = bitcast i32 %old to float
  %sum = fadd float %number, %v
  %new = bitcast float %sum to i32
  %swap = cmpxchg volatile ptr addrspace(1) %p, i32 %old, i32 %new monotonic monotonic, align 4
  %done = extractvalue { i32, i1 } %swap, 1
  br i1 %done, label %end, label %loop
end:
  ret void
}

; The value differs in each iteration.
define void @new_value(ptr addrspace(1) %p, ptr addrspace(1) %q) {
entry:
  br label %loop
loop:
  %v = load volatile i32, ptr addrspace(1) %q
  %old = load volatile i32, ptr addrspace(1) %p
  %new = add i32 %old, %v
  %swap = cmpxchg volatile ptr addrspace(1) %p, i32 %old, i32 %new monotonic monotonic, align 4
  %done = extractvalue { i32, i1 } %swap, 1
  br i1 %done, label %end, label %loop
end:
  ret void
}

; A swap that acquires may publish another value.
define void @acquired_value(ptr addrspace(1) %p, ptr addrspace(1) %q) {
entry:
  br label %loop
loop:
  %old = load atomic i32, ptr addrspace(1) %p monotonic, align 4
  %v = load i32, ptr addrspace(1) %q
  %new = add i32 %old, %v
  %swap = cmpxchg ptr addrspace(1) %p, i32 %old, i32 %new acq_rel acquire, align 4
  %done = extractvalue { i32, i1 } %swap, 1
  br i1 %done, label %end, label %loop
end:
  ret void
}

; The limit was read before the fence. An update after it would read another value.
define void @old_limit(ptr addrspace(1) %p, i32 %v) {
entry:
  %first = load volatile i32, ptr addrspace(1) %p
  fence acq_rel
  br label %head
head:
  %old = phi i32 [ %first, %entry ], [ %seen, %body ]
  %above = icmp sgt i32 %v, %old
  br i1 %above, label %body, label %end
body:
  %swap = cmpxchg volatile ptr addrspace(1) %p, i32 %old, i32 %v monotonic monotonic, align 4
  %seen = extractvalue { i32, i1 } %swap, 0
  %done = extractvalue { i32, i1 } %swap, 1
  br i1 %done, label %end, label %head
end:
  ret void
}

; Two operations are none of the hardware's.
define void @two_operations(ptr addrspace(1) %p, i32 %v) {
entry:
  br label %loop
loop:
  %old = load volatile i32, ptr addrspace(1) %p
  %twice = shl i32 %old, %v
  %new = add i32 %twice, %v
  %swap = cmpxchg volatile ptr addrspace(1) %p, i32 %old, i32 %new monotonic monotonic, align 4
  %done = extractvalue { i32, i1 } %swap, 1
  br i1 %done, label %end, label %loop
end:
  ret void
}

; A product whose old value is used, or in a loop that may wait.
define void @old_value_of_a_product(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %v) {
entry:
  br label %loop
loop:
  %old = load volatile i32, ptr addrspace(1) %p
  %new = mul i32 %old, %v
  %swap = cmpxchg volatile ptr addrspace(1) %p, i32 %old, i32 %new monotonic monotonic, align 4
  %done = extractvalue { i32, i1 } %swap, 1
  br i1 %done, label %next, label %loop
next:
  store i32 %old, ptr addrspace(1) %q
  br label %poll
poll:
  %flag = load volatile i32, ptr addrspace(1) %q
  br label %multiply
multiply:
  %was = load volatile i32, ptr addrspace(1) %p
  %product = mul i32 %was, %v
  %second = cmpxchg volatile ptr addrspace(1) %p, i32 %was, i32 %product monotonic monotonic, align 4
  %stored = extractvalue { i32, i1 } %second, 1
  br i1 %stored, label %after, label %multiply
after:
  %set = icmp eq i32 %flag, 1
  br i1 %set, label %end, label %poll
end:
  ret void
}

; Each iteration acquires, and may then read what another work-item has released.
define void @operand_behind_acquire(ptr addrspace(1) %p, ptr addrspace(3) %operand) {
entry:
  br label %loop
loop:
  %old = load atomic i32, ptr addrspace(1) %p acquire, align 4
  %v = load i32, ptr addrspace(3) %operand
  %new = mul i32 %old, %v
  %swap = cmpxchg ptr addrspace(1) %p, i32 %old, i32 %new acq_rel monotonic, align 4
  %done = extractvalue { i32, i1 } %swap, 1
  br i1 %done, label %end, label %loop
end:
  ret void
}
define void @operand_behind_failure(ptr addrspace(1) %p, ptr addrspace(3) %operand) {
entry:
  br label %loop
loop:
  %old = load atomic i32, ptr addrspace(1) %p monotonic, align 4
  %v = load i32, ptr addrspace(3) %operand
  %new = add i32 %old, %v
  %swap = cmpxchg ptr addrspace(1) %p, i32 %old, i32 %new acq_rel acquire, align 4
  %done = extractvalue { i32, i1 } %swap, 1
  br i1 %done, label %end, label %loop
end:
  ret void
}
