; RUN: lockstep-opt -nvidia=sm_90 -passes=order-atomics %s | FileCheck %s
; Relaxed updates need no fence. LLVM keeps the order of swaps, loads, stores and fences.

; CHECK-LABEL: @others(
; CHECK-NEXT: atomicrmw add ptr addrspace(1) %p, i32 1 syncscope("device") monotonic
; CHECK-NEXT: cmpxchg ptr addrspace(1) %p, i32 1, i32 2 syncscope("device") acq_rel acquire
; CHECK-NEXT: load atomic i32, ptr addrspace(1) %p syncscope("device") acquire
; CHECK-NEXT: ret
define void @others(ptr addrspace(1) %p) {
  %a = atomicrmw add ptr addrspace(1) %p, i32 1 syncscope("device") monotonic
  %b = cmpxchg ptr addrspace(1) %p, i32 1, i32 2 syncscope("device") acq_rel acquire
  %c = load atomic i32, ptr addrspace(1) %p syncscope("device") acquire, align 4
  ret void
}
