; RUN: env LOCKSTEP_FORM=auto lockstep-opt -passes=mark-waits %s 2>/dev/null | FileCheck %s

; A location that the loop writes several times is read where the loop is suspended only if it can
; be: each round has written it before, and one instruction reads it.

; For a member of a packed structure LLVM would call a library that is not there.
; CHECK-LABEL: @packed
; CHECK-NOT: load atomic i16
; CHECK: load i16, ptr addrspace(1) %p, align 1
; CHECK: store i16 1, ptr addrspace(1) %p, align 1
; CHECK: store i16 0, ptr addrspace(1) %p, align 1
; CHECK-NOT: load atomic i16
; CHECK: icmp ne i16
; CHECK: call void @__lockstep_wait(i32 {{[0-9]+}}, i1 %
; CHECK-NOT: load atomic i16
; CHECK: ret void
define void @packed(ptr addrspace(1) %flag, ptr addrspace(1) %p) {
entry:
  br label %loop
loop:
  store i16 1, ptr addrspace(1) %p, align 1
  fence seq_cst
  store i16 0, ptr addrspace(1) %p, align 1
  %seen = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp ne i32 %seen, 0
  br i1 %set, label %end, label %loop
end:
  ret void
}

; One aligned access says enough of the address.
; CHECK-LABEL: @also_aligned
; CHECK: load atomic i16, ptr addrspace(1) %p monotonic, align 2
; CHECK: call void @__lockstep_wait
; CHECK: load atomic i16, ptr addrspace(1) %p monotonic, align 2
define void @also_aligned(ptr addrspace(1) %flag, ptr addrspace(1) %p) {
entry:
  br label %loop
loop:
  store i16 1, ptr addrspace(1) %p, align 1
  fence seq_cst
  store i16 0, ptr addrspace(1) %p, align 2
  %seen = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp ne i32 %seen, 0
  br i1 %set, label %end, label %loop
end:
  ret void
}

; No atomic access has these sizes, or none that is an instruction on each processor.
; CHECK-LABEL: @odd_sizes
; CHECK-NOT: load atomic i24
; CHECK-NOT: load atomic i128
; CHECK: call void @__lockstep_wait(i32 {{[0-9]+}}, i1 %
; CHECK-NOT: load atomic
; CHECK: ret void
define void @odd_sizes(ptr addrspace(1) %flag, ptr addrspace(1) %p, ptr addrspace(1) %q) {
entry:
  br label %loop
loop:
  store i24 1, ptr addrspace(1) %p, align 4
  store i128 1, ptr addrspace(1) %q, align 16
  fence seq_cst
  store i24 0, ptr addrspace(1) %p, align 4
  store i128 0, ptr addrspace(1) %q, align 16
  %seen = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp ne i32 %seen, 0
  br i1 %set, label %end, label %loop
end:
  ret void
}

; `if (p)`: the address may be no address. Iterations that write nothing there change nothing there.
; CHECK-LABEL: @under_a_condition
; CHECK: loop:
; CHECK: write:
; CHECK-NEXT: load i32, ptr addrspace(1) %p
; CHECK: store i32 1, ptr addrspace(1) %p
; CHECK: store i32 2, ptr addrspace(1) %p
; CHECK: join:
; CHECK: %[[LEFT:left.*]] = phi i32 [ 2, %write ], [ 0, %loop ]
; CHECK: %[[BEGIN:at.begin.*]] = phi i32 [ %{{.*}}, %write ], [ 0, %loop ]
; CHECK: load atomic i32, ptr addrspace(1) %flag
; CHECK-NOT: ptr addrspace(1) %p
; CHECK: %[[DIFFERS:.*]] = icmp ne i32 %[[BEGIN]], %[[LEFT]]
; CHECK-NEXT: %[[CHANGED:.*]] = or i1 %changed{{.*}}, %[[DIFFERS]]
; CHECK-NEXT: call void @__lockstep_wait(i32 {{[0-9]+}}, i1 %[[CHANGED]])
; CHECK-NOT: ptr addrspace(1) %p
; CHECK: ret void
define void @under_a_condition(ptr addrspace(1) %flag, ptr addrspace(1) %p) {
entry:
  %there = icmp ne ptr addrspace(1) %p, null
  br label %loop
loop:
  br i1 %there, label %write, label %join
write:
  store i32 1, ptr addrspace(1) %p, align 4
  fence seq_cst
  store i32 2, ptr addrspace(1) %p, align 4
  br label %join
join:
  %seen = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp ne i32 %seen, 0
  br i1 %set, label %end, label %loop
end:
  ret void
}

; Updates say themselves what they found and what they left.
; CHECK-LABEL: @updates_under_a_condition
; CHECK: write:
; CHECK-NEXT: %old = atomicrmw add
; CHECK-NOT: load {{.*}} %p
; CHECK: %pair = cmpxchg
; CHECK-NEXT: %[[FOUND:.*]] = extractvalue { i32, i1 } %pair, 0
; CHECK-NEXT: %[[DONE:.*]] = extractvalue { i32, i1 } %pair, 1
; CHECK-NEXT: %[[LEFT:.*]] = select i1 %[[DONE]], i32 7, i32 %[[FOUND]]
; CHECK: join:
; CHECK: phi i32 [ %[[LEFT]], %write ], [ 0, %loop ]
; CHECK: call void @__lockstep_wait(i32 {{[0-9]+}}, i1 %
define void @updates_under_a_condition(ptr addrspace(1) %flag, ptr addrspace(1) %p) {
entry:
  %there = icmp ne ptr addrspace(1) %p, null
  br label %loop
loop:
  br i1 %there, label %write, label %join
write:
  %old = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic
  %pair = cmpxchg ptr addrspace(1) %p, i32 5, i32 7 seq_cst seq_cst
  br label %join
join:
  %seen = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp ne i32 %seen, 0
  br i1 %set, label %end, label %loop
end:
  ret void
}
