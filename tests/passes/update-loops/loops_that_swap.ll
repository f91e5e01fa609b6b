; RUN: lockstep-opt -passes=update-loops %s 2>/dev/null | FileCheck %s
; RUN: lockstep-opt -passes=update-loops,privatized-reductions %s 2>&1 | FileCheck %s --check-prefix=COPIES
; A loop that repeats only because its swap failed, and stores one operation of the old value, is that atomic update.
; The spelling makes no difference.

; COPIES-DAG: each worker has a copy of 'reread'
; COPIES-DAG: each worker has a copy of 'from_swap'
; COPIES-DAG: each worker has a copy of 'products'
; COPIES-DAG: each worker has a copy of 'float.products'
; COPIES-DAG: !{i32 2, i32 -1, i32 11, i32 4, i32 0, i32 4, i32 0, i32 0}
; COPIES-DAG: !{i32 3, i32 -1, i32 12, i32 8, i32 0, i32 8, i32 0, i32 0}

; do { old = *p; } while (atomic_cmpxchg(p, old, old + v) != old);
; CHECK-LABEL: @reread_each_time
; CHECK-NOT: load
; CHECK: atomicrmw volatile add ptr addrspace(1) %reread, i32 %v monotonic, align 4
; CHECK-NOT: cmpxchg
define spir_kernel void @reread_each_time(ptr addrspace(1) %reread, ptr addrspace(1) %from_swap, ptr addrspace(1) %products, ptr addrspace(1) %float.products, i32 %v, double %d) {
entry:
  br label %loop
loop:
  %old = load volatile i32, ptr addrspace(1) %reread
  %new = add nsw i32 %v, %old
  %swap = cmpxchg volatile ptr addrspace(1) %reread, i32 %old, i32 %new monotonic monotonic, align 4
  %done = extractvalue { i32, i1 } %swap, 1
  br i1 %done, label %second, label %loop

; expected = *p; while (!atomic_compare_exchange_weak(p, &expected, min(expected, v)));
; CHECK: atomicrmw umin ptr addrspace(1) %from_swap, i32 %v monotonic, align 4
second:
  %first = load atomic i32, ptr addrspace(1) %from_swap monotonic, align 4
  br label %retry
retry:
  %expected = phi i32 [ %first, %second ], [ %seen, %retry ]
  %least = call i32 @llvm.umin.i32(i32 %expected, i32 %v)
  %weak = cmpxchg weak ptr addrspace(1) %from_swap, i32 %expected, i32 %least monotonic monotonic, align 4
  %stored = extractvalue { i32, i1 } %weak, 1
  %seen = extractvalue { i32, i1 } %weak, 0
  br i1 %stored, label %third, label %retry

; No instruction multiplies memory, so a call does.
; CHECK: call void @__lockstep_atomic_multiply_i32(ptr addrspace(1) %products, i32 %v, i32 2)
third:
  br label %multiply
multiply:
  %factor = load volatile i32, ptr addrspace(1) %products
  %product = mul i32 %factor, %v
  %multiplied = cmpxchg volatile ptr addrspace(1) %products, i32 %factor, i32 %product monotonic monotonic, align 4
  %before = extractvalue { i32, i1 } %multiplied, 0
  %same = icmp ne i32 %before, %factor
  br i1 %same, label %multiply, label %fourth

; CHECK: call void @__lockstep_atomic_multiply_f64(ptr addrspace(1) %float.products, double %d, i32 2)
fourth:
  %bits.first = load i64, ptr addrspace(1) %float.products
  br label %multiply.float
multiply.float:
  %bits = phi i64 [ %bits.first, %fourth ], [ %bits.seen, %multiply.float ]
  %number = bitcast i64 %bits to double
  %times = fmul reassoc double %d, %number
  %bits.new = bitcast double %times to i64
  %bits.swap = cmpxchg ptr addrspace(1) %float.products, i64 %bits, i64 %bits.new monotonic monotonic, align 8
  %bits.seen = extractvalue { i64, i1 } %bits.swap, 0
  %bits.done = extractvalue { i64, i1 } %bits.swap, 1
  br i1 %bits.done, label %end, label %multiply.float
end:
  ret void
}

; while (v > old) { seen = atomic_cmpxchg(p, old, v); if (seen == old) break; old = seen; }
; CHECK-LABEL: @up_to_a_limit
; CHECK-NEXT: entry:
; CHECK-NEXT: atomicrmw volatile max ptr addrspace(1) %p, i32 %v monotonic, align 4
; CHECK-NEXT: br label %end
; CHECK: end:
; CHECK-NEXT: ret void
define spir_kernel void @up_to_a_limit(ptr addrspace(1) %p, i32 %v) {
entry:
  %first = load volatile i32, ptr addrspace(1) %p
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

; The same, for a value that is frozen, as conversions from SPIR-V are.
; CHECK-LABEL: @up_to_a_frozen_limit
; CHECK: atomicrmw volatile max ptr addrspace(1) %p, i32 %frozen monotonic, align 4
; CHECK-NOT: cmpxchg
define spir_kernel void @up_to_a_frozen_limit(ptr addrspace(1) %p, float %f) {
entry:
  %v = fptosi float %f to i32
  %frozen = freeze i32 %v
  %first = load volatile i32, ptr addrspace(1) %p
  br label %head
head:
  %old = phi i32 [ %first, %entry ], [ %seen, %body ]
  %above = icmp sgt i32 %frozen, %old
  br i1 %above, label %body, label %end
body:
  %swap = cmpxchg volatile ptr addrspace(1) %p, i32 %old, i32 %frozen monotonic monotonic, align 4
  %seen = extractvalue { i32, i1 } %swap, 0
  %done = extractvalue { i32, i1 } %swap, 1
  br i1 %done, label %end, label %head
end:
  ret void
}

; The old and the new value are those of the update. The order of the first read counts.
; CHECK-LABEL: @with_results
; CHECK: %[[OLD:.*]] = atomicrmw xor ptr addrspace(1) %p, i32 %v syncscope("workgroup") acquire, align 4
; CHECK-NEXT: %[[NEW:.*]] = xor i32 %[[OLD]], %v
; CHECK-NOT: cmpxchg
; CHECK: store i32 %[[OLD]], ptr addrspace(1) %result
; CHECK: store i32 %[[NEW]], ptr addrspace(1) %result
define spir_kernel void @with_results(ptr addrspace(1) %p, ptr addrspace(1) %result, i32 %v) {
entry:
  %first = load atomic i32, ptr addrspace(1) %p syncscope("workgroup") acquire, align 4
  br label %loop
loop:
  %old = phi i32 [ %first, %entry ], [ %seen, %loop ]
  %new = xor i32 %old, %v
  %swap = cmpxchg ptr addrspace(1) %p, i32 %old, i32 %new syncscope("workgroup") monotonic monotonic, align 4
  %seen = extractvalue { i32, i1 } %swap, 0
  %done = extractvalue { i32, i1 } %swap, 1
  br i1 %done, label %end, label %loop
end:
  %was = phi i32 [ %seen, %loop ]
  store i32 %was, ptr addrspace(1) %result
  store i32 %new, ptr addrspace(1) %result
  ret void
}

; An operand that each iteration loads, although nothing may change it meanwhile.
; CHECK-LABEL: @loads_operand
; CHECK: %v = load i32, ptr addrspace(3) %partial
; CHECK-NEXT: call void @__lockstep_atomic_multiply_i32(ptr addrspace(1) %p, i32 %v, i32 2)
; CHECK-NOT: load
; CHECK: ret void
define spir_kernel void @loads_operand(ptr addrspace(1) %p, ptr addrspace(3) %partial) {
entry:
  %first = load volatile i32, ptr addrspace(1) %p
  br label %loop
loop:
  %old = phi i32 [ %first, %entry ], [ %seen, %loop ]
  %v = load i32, ptr addrspace(3) %partial
  %new = mul i32 %v, %old
  %swap = cmpxchg volatile ptr addrspace(1) %p, i32 %old, i32 %new monotonic monotonic, align 4
  %seen = extractvalue { i32, i1 } %swap, 0
  %done = extractvalue { i32, i1 } %swap, 1
  br i1 %done, label %end, label %loop
end:
  ret void
}

; A float's bits, which optimization has made the counter of the loop.
; CHECK-LABEL: @of_floats
; CHECK-NOT: load
; CHECK: atomicrmw fadd ptr addrspace(1) %p, float %v monotonic, align 4
; CHECK: ret void
define spir_kernel void @of_floats(ptr addrspace(1) %p, float %v) {
entry:
  %first = load i32, ptr addrspace(1) %p
  %first.number = bitcast i32 %first to float
  br label %loop
loop:
  %old = phi float [ %first.number, %entry ], [ %seen.number, %loop ]
  %sum = fadd reassoc float %old, %v
  %bits = bitcast float %old to i32
  %new = bitcast float %sum to i32
  %swap = cmpxchg ptr addrspace(1) %p, i32 %bits, i32 %new monotonic monotonic, align 4
  %seen = extractvalue { i32, i1 } %swap, 0
  %seen.number = bitcast i32 %seen to float
  %done = extractvalue { i32, i1 } %swap, 1
  br i1 %done, label %end, label %loop
end:
  ret void
}

declare i32 @llvm.umin.i32(i32, i32)
