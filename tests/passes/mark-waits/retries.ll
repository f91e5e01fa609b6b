; RUN: env LOCKSTEP_FORM=auto lockstep-opt -passes=mark-waits %s 2>&1 | FileCheck %s
; Compare-and-swap loops that begin another iteration only because another work-item's swap
; succeeded, in the forms that programs and the optimizer give them.

; CHECK-NOT: remark
; CHECK-NOT: __lockstep_wait
; CHECK-NOT: lockstep-form

; The value is read by an update that changes nothing.
define void @read_by_add_0(ptr addrspace(1) %p, float %d) {
entry:
  br label %loop
loop:
  %old = atomicrmw add ptr addrspace(1) %p, i32 0 seq_cst
  %now = bitcast i32 %old to float
  %sum = fadd float %now, %d
  %new = bitcast float %sum to i32
  %pair = cmpxchg volatile ptr addrspace(1) %p, i32 %old, i32 %new seq_cst seq_cst
  %seen = extractvalue { i32, i1 } %pair, 0
  %again = icmp ne i32 %seen, %old
  br i1 %again, label %loop, label %end
end:
  ret void
}

define void @read_by_or_0(ptr addrspace(1) %p) {
entry:
  br label %loop
loop:
  %old = atomicrmw or ptr addrspace(1) %p, i64 0 seq_cst
  %new = add i64 %old, 3
  %pair = cmpxchg ptr addrspace(1) %p, i64 %old, i64 %new seq_cst seq_cst
  %done = extractvalue { i64, i1 } %pair, 1
  br i1 %done, label %end, label %loop
end:
  ret void
}

define void @read_by_swap_of_the_same(ptr addrspace(1) %p) {
entry:
  br label %loop
loop:
  %read = cmpxchg ptr addrspace(1) %p, i32 0, i32 0 seq_cst seq_cst
  %old = extractvalue { i32, i1 } %read, 0
  %new = mul i32 %old, 3
  %pair = cmpxchg ptr addrspace(1) %p, i32 %old, i32 %new seq_cst seq_cst
  %done = extractvalue { i32, i1 } %pair, 1
  br i1 %done, label %end, label %loop
end:
  ret void
}

; By a load of a floating-point number, at an address that is computed again.
define void @of_double(ptr addrspace(1) %p, i64 %i, double %d) {
entry:
  br label %loop
loop:
  %from = getelementptr double, ptr addrspace(1) %p, i64 %i
  %old = load atomic double, ptr addrspace(1) %from monotonic, align 8
  %sum = fadd double %old, %d
  %new = bitcast double %sum to i64
  %expected = bitcast double %old to i64
  %to = getelementptr double, ptr addrspace(1) %p, i64 %i
  %pair = cmpxchg weak ptr addrspace(1) %to, i64 %expected, i64 %new monotonic monotonic
  %done = extractvalue { i64, i1 } %pair, 1
  br i1 %done, label %end, label %loop
end:
  ret void
}

; Another condition beside it, in one branch and as a bound of tries.
define void @gives_up(ptr addrspace(1) %p, i32 %most) {
entry:
  br label %loop
loop:
  %tries = phi i32 [ 0, %entry ], [ %next, %loop ]
  %old = load volatile i32, ptr addrspace(1) %p
  %new = add i32 %old, 1
  %pair = cmpxchg ptr addrspace(1) %p, i32 %old, i32 %new seq_cst seq_cst
  %done = extractvalue { i32, i1 } %pair, 1
  %failed = xor i1 %done, true
  %next = add i32 %tries, 1
  %more = icmp ne i32 %next, %most
  %again = select i1 %failed, i1 %more, i1 false
  br i1 %again, label %loop, label %end
end:
  ret void
}

; The end is a flag that another path sets as well.
define void @flag(ptr addrspace(1) %p, i32 %limit) {
entry:
  br label %loop
loop:
  %old = load atomic i32, ptr addrspace(1) %p acquire, align 4
  %enough = icmp sge i32 %old, %limit
  br i1 %enough, label %join, label %try
try:
  %pair = cmpxchg ptr addrspace(1) %p, i32 %old, i32 %limit seq_cst seq_cst
  %swapped = extractvalue { i32, i1 } %pair, 1
  br label %join
join:
  %done = phi i1 [ true, %loop ], [ %swapped, %try ]
  br i1 %done, label %end, label %loop
end:
  ret void
}

; Compares a part of what was expected and returned, which is the same after a success.
define void @compares_parts(ptr addrspace(1) %p) {
entry:
  br label %loop
loop:
  %old = load atomic i64, ptr addrspace(1) %p monotonic, align 8
  %new = add i64 %old, 1
  %pair = cmpxchg ptr addrspace(1) %p, i64 %old, i64 %new seq_cst seq_cst
  %seen = extractvalue { i64, i1 } %pair, 0
  %part = trunc i64 %seen to i32
  %old.part = trunc i64 %old to i32
  %done = icmp eq i32 %part, %old.part
  br i1 %done, label %end, label %loop
end:
  ret void
}

; Floating-point numbers that are never NaN.
define void @compares_finite_floats(ptr addrspace(1) %p, float %d) {
entry:
  br label %loop
loop:
  %old = phi float [ 0.0, %entry ], [ %seen, %loop ]
  %expected = bitcast float %old to i32
  %sum = fadd float %old, %d
  %new = bitcast float %sum to i32
  %pair = cmpxchg ptr addrspace(1) %p, i32 %expected, i32 %new seq_cst seq_cst
  %bits = extractvalue { i32, i1 } %pair, 0
  %seen = bitcast i32 %bits to float
  %again = fcmp nnan une float %seen, %old
  br i1 %again, label %loop, label %end
end:
  ret void
}

; The head of a list of nodes, by pointer.
define void @push(ptr addrspace(1) %head, ptr addrspace(1) %node) {
entry:
  br label %loop
loop:
  %first = load atomic i64, ptr addrspace(1) %head monotonic, align 8
  %pointer = inttoptr i64 %first to ptr addrspace(1)
  store ptr addrspace(1) %pointer, ptr addrspace(1) %node
  %new = ptrtoint ptr addrspace(1) %node to i64
  %pair = cmpxchg ptr addrspace(1) %head, i64 %first, i64 %new release monotonic
  %done = extractvalue { i64, i1 } %pair, 1
  br i1 %done, label %end, label %loop
end:
  ret void
}
