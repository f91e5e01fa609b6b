; RUN: env LOCKSTEP_FORM=auto lockstep-opt -passes=mark-waits %s 2>/dev/null | FileCheck %s
; Loops with a compare-and-swap that wait for a value that another work-item must write.

; A lock.
; CHECK-LABEL: @lock
; CHECK: call void @__lockstep_wait
define void @lock(ptr addrspace(1) %l) {
entry:
  br label %loop
loop:
  %pair = cmpxchg ptr addrspace(1) %l, i32 0, i32 1 seq_cst seq_cst
  %seen = extractvalue { i32, i1 } %pair, 0
  %taken = icmp ne i32 %seen, 0
  br i1 %taken, label %loop, label %end
end:
  ret void
}

; A lock whose loop would go on although the swap succeeded.
; CHECK-LABEL: @set_and_test
; CHECK: call void @__lockstep_wait
define void @set_and_test(ptr addrspace(1) %l) {
entry:
  br label %loop
loop:
  %old = load atomic i32, ptr addrspace(1) %l monotonic, align 4
  %new = or i32 %old, 1
  %pair = cmpxchg ptr addrspace(1) %l, i32 %old, i32 %new seq_cst seq_cst
  %seen = extractvalue { i32, i1 } %pair, 0
  %failed = icmp ne i32 %seen, %old
  %bit = trunc i32 %seen to i1
  %again = select i1 %failed, i1 true, i1 %bit
  br i1 %again, label %loop, label %end
end:
  ret void
}

; It tries only while the value is even.
; CHECK-LABEL: @flag_of_either
; CHECK: call void @__lockstep_wait
define void @flag_of_either(ptr addrspace(1) %l) {
entry:
  br label %loop
loop:
  %old = load atomic i32, ptr addrspace(1) %l monotonic, align 4
  %odd = trunc i32 %old to i1
  br i1 %odd, label %join, label %try
try:
  %new = or i32 %old, 1
  %pair = cmpxchg ptr addrspace(1) %l, i32 %old, i32 %new seq_cst seq_cst
  %swapped = extractvalue { i32, i1 } %pair, 1
  br label %join
join:
  %done = phi i1 [ false, %loop ], [ %swapped, %try ]
  br i1 %done, label %end, label %loop
end:
  ret void
}

; A ticket: what is expected was not read there.
; CHECK-LABEL: @turn
; CHECK: call void @__lockstep_wait
define void @turn(ptr addrspace(1) %now, i32 %mine) {
entry:
  %next = add i32 %mine, 1
  br label %loop
loop:
  %pair = cmpxchg ptr addrspace(1) %now, i32 %mine, i32 %next seq_cst seq_cst
  %done = extractvalue { i32, i1 } %pair, 1
  br i1 %done, label %end, label %loop
end:
  ret void
}

; What is expected was read elsewhere.
; CHECK-LABEL: @as_another_says
; CHECK: call void @__lockstep_wait
define void @as_another_says(ptr addrspace(1) %p, ptr addrspace(1) %q) {
entry:
  br label %loop
loop:
  %old = load atomic i32, ptr addrspace(1) %q monotonic, align 4
  %pair = cmpxchg ptr addrspace(1) %p, i32 %old, i32 7 seq_cst seq_cst
  %done = extractvalue { i32, i1 } %pair, 1
  br i1 %done, label %end, label %loop
end:
  ret void
}

; Read by an update that does change it.
; CHECK-LABEL: @disturbs_itself
; CHECK: call void @__lockstep_wait
define void @disturbs_itself(ptr addrspace(1) %p) {
entry:
  br label %loop
loop:
  %old = atomicrmw add ptr addrspace(1) %p, i32 1 seq_cst
  %pair = cmpxchg ptr addrspace(1) %p, i32 %old, i32 7 seq_cst seq_cst
  %done = extractvalue { i32, i1 } %pair, 1
  br i1 %done, label %end, label %loop
end:
  ret void
}

; Read in the iteration before, at another address.
; CHECK-LABEL: @moves_on
; CHECK: call void @__lockstep_wait
define void @moves_on(ptr addrspace(1) %p, i32 %mask) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %old = phi i32 [ 0, %entry ], [ %seen, %loop ]
  %place = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %pair = cmpxchg ptr addrspace(1) %place, i32 %old, i32 7 seq_cst seq_cst
  %seen = extractvalue { i32, i1 } %pair, 0
  %done = extractvalue { i32, i1 } %pair, 1
  %sum = add i32 %i, 1
  %next = and i32 %sum, %mask
  br i1 %done, label %end, label %loop
end:
  ret void
}

; A swap of NaN succeeds, and the loop goes on until another work-item writes a number.
; CHECK-LABEL: @compares_floats
; CHECK: call void @__lockstep_wait
define void @compares_floats(ptr addrspace(1) %p, float %d) {
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
  %again = fcmp une float %seen, %old
  br i1 %again, label %loop, label %end
end:
  ret void
}

; Each iteration swaps twice, and only the second decides: its failure is the work of the first.
; CHECK-LABEL: @twice
; CHECK: call void @__lockstep_wait
define void @twice(ptr addrspace(1) %p) {
entry:
  br label %loop
loop:
  %old = load atomic i32, ptr addrspace(1) %p monotonic, align 4
  br label %inner
inner:
  %k = phi i32 [ 0, %loop ], [ %k.next, %inner ]
  %new = add i32 %old, 1
  %pair = cmpxchg ptr addrspace(1) %p, i32 %old, i32 %new seq_cst seq_cst
  %k.next = add i32 %k, 1
  %more = icmp ult i32 %k.next, 2
  br i1 %more, label %inner, label %decide
decide:
  %done = extractvalue { i32, i1 } %pair, 1
  br i1 %done, label %end, label %loop
end:
  ret void
}

; A part of the memory decides, which may be the same although the swap failed; and differ although
; it succeeded, as the expected value is another one.
; CHECK-LABEL: @compares_another_part
; CHECK: call void @__lockstep_wait
define void @compares_another_part(ptr addrspace(1) %p, i32 %wanted) {
entry:
  br label %loop
loop:
  %old = load atomic i32, ptr addrspace(1) %p monotonic, align 4
  %pair = cmpxchg ptr addrspace(1) %p, i32 %old, i32 0 seq_cst seq_cst
  %seen = extractvalue { i32, i1 } %pair, 0
  %done = icmp eq i32 %seen, %wanted
  br i1 %done, label %end, label %loop
end:
  ret void
}
