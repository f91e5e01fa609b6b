; RUN: lockstep-opt -passes=promote-swap-variables,update-loops %s 2>/dev/null | FileCheck %s
; Variables of loops that swap become registers, so that the loops become updates before undefined values are tracked.

; do { old = assumed; assumed = cmpxchg(p, old, old + v); } while (assumed != old);
; The pointer is a variable, too. A variable that the loop only reads stays one: reports name it.
; CHECK-LABEL: @until_equal
; CHECK: %v = alloca i32
; CHECK-NOT: alloca
; CHECK: %[[V:.*]] = load i32, ptr %v
; CHECK: atomicrmw volatile add ptr addrspace(1) %argument, i32 %[[V]]
; CHECK-NOT: cmpxchg
; CHECK: ret void
define spir_kernel void @until_equal(ptr addrspace(1) %argument, i32 %x) {
entry:
  %p = alloca ptr addrspace(1)
  %v = alloca i32
  %old = alloca i32
  %assumed = alloca i32
  store ptr addrspace(1) %argument, ptr %p
  store i32 %x, ptr %v
  call void @llvm.lifetime.start.p0(ptr %assumed)
  %p1 = load ptr addrspace(1), ptr %p
  %first = load volatile i32, ptr addrspace(1) %p1
  store i32 %first, ptr %assumed
  br label %loop
loop:
  %a = load i32, ptr %assumed
  store i32 %a, ptr %old
  %p2 = load ptr addrspace(1), ptr %p
  %b = load i32, ptr %old
  %c = load i32, ptr %v
  %new = add i32 %b, %c
  %swap = cmpxchg volatile ptr addrspace(1) %p2, i32 %b, i32 %new monotonic monotonic
  %seen = extractvalue { i32, i1 } %swap, 0
  store i32 %seen, ptr %assumed
  br label %condition
condition:
  %d = load i32, ptr %assumed
  %e = load i32, ptr %old
  %again = icmp ne i32 %d, %e
  br i1 %again, label %loop, label %end
end:
  ret void
}

; while (!atomic_compare_exchange_weak(p, &seen, seen + v));
; The builtin writes `seen` through a generic pointer, if the swap fails.
; CHECK-LABEL: @until_done
; CHECK-NOT: alloca
; CHECK: atomicrmw add ptr addrspace(1) %p, i32 %v acq_rel
; CHECK-NOT: cmpxchg
; CHECK: ret void
define spir_kernel void @until_done(ptr addrspace(1) %p, i32 %v) {
entry:
  %seen = alloca i32
  %generic = addrspacecast ptr %seen to ptr addrspace(4)
  %first = load atomic i32, ptr addrspace(1) %p monotonic, align 4
  store i32 %first, ptr %seen
  br label %loop
loop:
  %expected = load i32, ptr addrspace(4) %generic
  %new = add i32 %expected, %v
  %swap = cmpxchg weak ptr addrspace(1) %p, i32 %expected, i32 %new acq_rel monotonic
  %done = extractvalue { i32, i1 } %swap, 1
  br i1 %done, label %after, label %failed
failed:
  %old = extractvalue { i32, i1 } %swap, 0
  store i32 %old, ptr addrspace(4) %generic
  br label %after
after:
  %result = phi i1 [ true, %loop ], [ false, %failed ]
  %again = xor i1 %result, true
  br i1 %again, label %body, label %end
body:
  br label %loop
end:
  ret void
}

declare void @llvm.lifetime.start.p0(ptr)
