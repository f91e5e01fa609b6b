; RUN: env LOCKSTEP_CHECK=races lockstep-opt -passes=update-loops %s 2>/dev/null | FileCheck %s
; RUN: env LOCKSTEP_CHECK=commands lockstep-opt -passes=update-loops %s 2>/dev/null | FileCheck %s --check-prefix=COMMANDS
; Under the check of races, the update that replaces a loop races with the same accesses, and orders the same ones.

; The order of the swap, with a relaxed or a volatile read.
; CHECK-LABEL: @same_order
; CHECK: atomicrmw add ptr addrspace(1) %p, i32 %v acq_rel, align 4
; CHECK: atomicrmw volatile add ptr addrspace(1) %q, i32 %v monotonic, align 4
; CHECK-NOT: cmpxchg
; CHECK: ret void
define spir_kernel void @same_order(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %v) {
entry:
  br label %loop
loop:
  %old = load atomic i32, ptr addrspace(1) %p monotonic, align 4
  %new = add i32 %old, %v
  %swap = cmpxchg ptr addrspace(1) %p, i32 %old, i32 %new acq_rel monotonic, align 4
  %done = extractvalue { i32, i1 } %swap, 1
  br i1 %done, label %second, label %loop
second:
  br label %again
again:
  %before = load volatile i32, ptr addrspace(1) %q, align 4
  %after = add i32 %before, %v
  %stored = cmpxchg volatile ptr addrspace(1) %q, i32 %before, i32 %after monotonic monotonic, align 4
  %ends = extractvalue { i32, i1 } %stored, 1
  br i1 %ends, label %end, label %again
end:
  ret void
}

; A plain read races with other updates.
; CHECK-LABEL: @plain_read
; CHECK: load i32
; CHECK: cmpxchg
; COMMANDS-LABEL: @plain_read
; COMMANDS: atomicrmw add
define spir_kernel void @plain_read(ptr addrspace(1) %p, i32 %v) {
entry:
  %first = load i32, ptr addrspace(1) %p, align 4
  br label %loop
loop:
  %old = phi i32 [ %first, %entry ], [ %seen, %loop ]
  %new = add i32 %old, %v
  %swap = cmpxchg ptr addrspace(1) %p, i32 %old, i32 %new monotonic monotonic, align 4
  %seen = extractvalue { i32, i1 } %swap, 0
  %done = extractvalue { i32, i1 } %swap, 1
  br i1 %done, label %end, label %loop
end:
  ret void
}

; The read acquires from another release than the relaxed swap that follows.
; CHECK-LABEL: @stronger_read
; CHECK: cmpxchg
; COMMANDS-LABEL: @stronger_read
; COMMANDS: atomicrmw add ptr addrspace(1) %p, i32 %v acquire
define spir_kernel void @stronger_read(ptr addrspace(1) %p, i32 %v) {
entry:
  br label %loop
loop:
  %old = load atomic i32, ptr addrspace(1) %p acquire, align 4
  %new = add i32 %old, %v
  %swap = cmpxchg ptr addrspace(1) %p, i32 %old, i32 %new monotonic monotonic, align 4
  %done = extractvalue { i32, i1 } %swap, 1
  br i1 %done, label %end, label %loop
end:
  ret void
}

; The maximum is often only read.
; CHECK-LABEL: @ends_at_limit
; CHECK: cmpxchg
; COMMANDS-LABEL: @ends_at_limit
; COMMANDS: atomicrmw max
define spir_kernel void @ends_at_limit(ptr addrspace(1) %p, i32 %v) {
entry:
  br label %loop
loop:
  %old = load atomic i32, ptr addrspace(1) %p monotonic, align 4
  %larger = icmp sgt i32 %v, %old
  br i1 %larger, label %try, label %end
try:
  %swap = cmpxchg ptr addrspace(1) %p, i32 %old, i32 %v monotonic monotonic, align 4
  %done = extractvalue { i32, i1 } %swap, 1
  br i1 %done, label %end, label %loop
end:
  ret void
}

; A product, with the order of the swap.
; CHECK-LABEL: @product
; CHECK: call void @__lockstep_atomic_multiply_i32({{.*}}, i32 2)
; CHECK-LABEL: @product_that_orders
; CHECK: call void @__lockstep_atomic_multiply_i32({{.*}}, i32 6)
define spir_kernel void @product(ptr addrspace(1) %p, i32 %v) {
entry:
  br label %loop
loop:
  %old = load atomic i32, ptr addrspace(1) %p monotonic, align 4
  %new = mul i32 %old, %v
  %swap = cmpxchg ptr addrspace(1) %p, i32 %old, i32 %new monotonic monotonic, align 4
  %done = extractvalue { i32, i1 } %swap, 1
  br i1 %done, label %end, label %loop
end:
  ret void
}
define spir_kernel void @product_that_orders(ptr addrspace(1) %p, i32 %v) {
entry:
  br label %loop
loop:
  %old = load atomic i32, ptr addrspace(1) %p monotonic, align 4
  %new = mul i32 %old, %v
  %swap = cmpxchg ptr addrspace(1) %p, i32 %old, i32 %new acq_rel monotonic, align 4
  %done = extractvalue { i32, i1 } %swap, 1
  br i1 %done, label %end, label %loop
end:
  ret void
}
