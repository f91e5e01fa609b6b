; RUN: lockstep-opt -passes=lower-group-atomics %s | FileCheck %s
; Most updates of a minimum or maximum change nothing. A relaxed one without a result is skipped then.

; CHECK-LABEL: @limits
; CHECK-NEXT: [[OLD:%.*]] = load atomic i32, ptr addrspace(1) %p monotonic, align 4
; CHECK-NEXT: [[NEW:%.*]] = call i32 @llvm.umax.i32(i32 [[OLD]], i32 %v)
; CHECK-NEXT: [[CHANGES:%.*]] = icmp ne i32 [[OLD]], [[NEW]]
; CHECK-NEXT: br i1 [[CHANGES]], label %[[THEN:.*]], label %[[NEXT:.*]]
; CHECK: [[THEN]]:
; CHECK-NEXT: atomicrmw umax ptr addrspace(1) %p, i32 %v monotonic, align 4
; CHECK-NEXT: br label %[[NEXT]]
; CHECK: [[NEXT]]:
; CHECK-NEXT: atomicrmw umax ptr addrspace(1) %p, i32 %v acquire
; CHECK-NEXT: %used = atomicrmw min ptr addrspace(1) %p, i32 %v monotonic
; CHECK-NEXT: atomicrmw add ptr addrspace(1) %p, i32 %used monotonic
; CHECK-NEXT: ret void
define void @limits(ptr addrspace(1) %p, i32 %v) {
  %a = atomicrmw umax ptr addrspace(1) %p, i32 %v monotonic, align 4
  %b = atomicrmw umax ptr addrspace(1) %p, i32 %v acquire, align 4
  %used = atomicrmw min ptr addrspace(1) %p, i32 %v monotonic, align 4
  %c = atomicrmw add ptr addrspace(1) %p, i32 %used monotonic, align 4
  ret void
}
