; RUN: lockstep-opt -nvidia=sm_90 -passes=sum-local-halves-by-swaps %s | FileCheck %s
; Global memory has no exchange for each store. Sums of 32 bits, minima and stores are of one size.

; CHECK-LABEL: @others(
; CHECK-NEXT: atomicrmw fadd ptr addrspace(1) %g, half %x
; CHECK-NEXT: atomicrmw fadd ptr addrspace(3) %p, float %y
; CHECK-NEXT: atomicrmw fmin ptr addrspace(3) %p, half %x
; CHECK-NEXT: store atomic half %x, ptr addrspace(3) %p
; CHECK-NEXT: ret
define void @others(ptr addrspace(1) %g, ptr addrspace(3) %p, half %x, float %y) {
  %a = atomicrmw fadd ptr addrspace(1) %g, half %x syncscope("device") monotonic, align 2
  %b = atomicrmw fadd ptr addrspace(3) %p, float %y syncscope("block") monotonic, align 4
  %c = atomicrmw fmin ptr addrspace(3) %p, half %x syncscope("block") monotonic, align 2
  store atomic half %x, ptr addrspace(3) %p syncscope("block") monotonic, align 2
  ret void
}
