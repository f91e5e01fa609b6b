; RUN: lockstep-opt -passes=update-loops %s 2>/dev/null | FileCheck %s
; The operand is in local memory. Only a failed swap repeats the loop, and it orders nothing.

; CHECK-LABEL: @sum
; CHECK: [[OPERAND:%.*]] = load i32, ptr addrspace(3) %operand
; CHECK: atomicrmw add ptr addrspace(1) %p, i32 [[OPERAND]] acq_rel, align 4
; CHECK-NOT: cmpxchg
; CHECK: ret void
define spir_kernel void @sum(ptr addrspace(1) %p, ptr addrspace(3) %operand) {
entry:
  br label %loop
loop:
  %old = load atomic i32, ptr addrspace(1) %p monotonic, align 4
  %v = load i32, ptr addrspace(3) %operand
  %new = add i32 %old, %v
  %swap = cmpxchg ptr addrspace(1) %p, i32 %old, i32 %new acq_rel monotonic, align 4
  %done = extractvalue { i32, i1 } %swap, 1
  br i1 %done, label %end, label %loop
end:
  ret void
}
