; RUN: lockstep-opt -passes=update-loops %s | FileCheck %s
; OpenCL C 1.x has no atomic load: programs update by nothing to read, and wait for it.

; CHECK-LABEL: @poll
; CHECK: [[OLD:%.*]] = load atomic volatile i32, ptr addrspace(1) %flag syncscope("work_group") monotonic, align 4
; CHECK-NEXT: icmp eq i32 [[OLD]], 0
define void @poll(ptr addrspace(1) %flag) {
entry:
  br label %loop
loop:
  %old = atomicrmw volatile or ptr addrspace(1) %flag, i32 0 syncscope("work_group") monotonic, align 4
  %closed = icmp eq i32 %old, 0
  br i1 %closed, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: @others
; CHECK-COUNT-8: load atomic i32
; CHECK-NOT: atomicrmw
; CHECK: ret void
define void @others(ptr addrspace(1) %p, ptr %to) {
  %add = atomicrmw add ptr addrspace(1) %p, i32 0 monotonic
  %sub = atomicrmw sub ptr addrspace(1) %p, i32 0 monotonic
  %xor = atomicrmw xor ptr addrspace(1) %p, i32 0 monotonic
  %and = atomicrmw and ptr addrspace(1) %p, i32 -1 monotonic
  %umax = atomicrmw umax ptr addrspace(1) %p, i32 0 monotonic
  %umin = atomicrmw umin ptr addrspace(1) %p, i32 -1 monotonic
  %max = atomicrmw max ptr addrspace(1) %p, i32 -2147483648 monotonic
  %min = atomicrmw min ptr addrspace(1) %p, i32 2147483647 monotonic
  ret void
}

; CHECK-LABEL: @swap
; CHECK: [[OLD:%.*]] = load atomic volatile i64, ptr addrspace(1) %p monotonic, align 8
; CHECK: icmp eq i64 [[OLD]], %same
; CHECK-NOT: cmpxchg
; CHECK: ret i64
define i64 @swap(ptr addrspace(1) %p, i64 %same) {
  %swap = cmpxchg volatile ptr addrspace(1) %p, i64 %same, i64 %same monotonic monotonic, align 8
  %old = extractvalue { i64, i1 } %swap, 0
  ret i64 %old
}

; Updates that change the location or order other accesses, and an exchange.
; CHECK-LABEL: @left
; CHECK-NOT: load atomic
; CHECK: ret void
define void @left(ptr addrspace(1) %p, i32 %v) {
  %one = atomicrmw or ptr addrspace(1) %p, i32 1 monotonic
  %unknown = atomicrmw add ptr addrspace(1) %p, i32 %v monotonic
  %zero = atomicrmw and ptr addrspace(1) %p, i32 0 monotonic
  %most = atomicrmw max ptr addrspace(1) %p, i32 0 monotonic
  %ordered = atomicrmw or ptr addrspace(1) %p, i32 0 acquire
  %exchange = atomicrmw xchg ptr addrspace(1) %p, i32 0 monotonic
  %swap = cmpxchg ptr addrspace(1) %p, i32 %v, i32 %v acq_rel monotonic
  ret void
}
