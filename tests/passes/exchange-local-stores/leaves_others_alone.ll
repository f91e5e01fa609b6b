; RUN: lockstep-opt -nvidia=sm_90 -passes=exchange-local-stores %s | FileCheck %s
; Stores to global memory are atomic with respect to updates. Ordinary stores are not atomic.

; CHECK-LABEL: @others(
; CHECK-NEXT: store atomic i32 0, ptr addrspace(1) %p syncscope("device") release, align 4
; CHECK-NEXT: store i32 1, ptr addrspace(3) %q, align 4
; CHECK-NEXT: store volatile i32 1, ptr addrspace(3) %q, align 4
; CHECK-NEXT: ret
define void @others(ptr addrspace(1) %p, ptr addrspace(3) %q) {
  store atomic i32 0, ptr addrspace(1) %p syncscope("device") release, align 4
  store i32 1, ptr addrspace(3) %q, align 4
  store volatile i32 1, ptr addrspace(3) %q, align 4
  ret void
}
