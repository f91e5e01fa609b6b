; RUN: lockstep-opt -nvidia=sm_90 -passes=keep-subnormal-sums %s | FileCheck %s
; Shared memory keeps subnormal numbers, and so do sums of double and half. A number of at least 2^-100 is added exactly.

; CHECK-LABEL: @others(
; CHECK-NEXT: atomicrmw fadd ptr addrspace(3) %q, float %x
; CHECK-NEXT: atomicrmw fadd ptr addrspace(1) %p, double %d
; CHECK-NEXT: atomicrmw fadd ptr addrspace(1) %p, half %h
; CHECK-NEXT: atomicrmw fadd ptr addrspace(1) %p, float 1.0
; CHECK-NEXT: atomicrmw fsub ptr addrspace(1) %p, float %x
; CHECK-NEXT: ret void
define void @others(ptr addrspace(1) %p, ptr addrspace(3) %q, float %x, double %d, half %h) {
  %a = atomicrmw fadd ptr addrspace(3) %q, float %x syncscope("block") monotonic, align 4
  %b = atomicrmw fadd ptr addrspace(1) %p, double %d syncscope("device") monotonic, align 8
  %c = atomicrmw fadd ptr addrspace(1) %p, half %h syncscope("device") monotonic, align 2
  %e = atomicrmw fadd ptr addrspace(1) %p, float 1.0 syncscope("device") monotonic, align 4
  %f = atomicrmw fsub ptr addrspace(1) %p, float %x syncscope("device") monotonic, align 4
  ret void
}

; Flushing is allowed here.
; CHECK-LABEL: @flushes(
; CHECK-NEXT: atomicrmw fadd ptr addrspace(1) %p, float %x
; CHECK-NEXT: ret void
define void @flushes(ptr addrspace(1) %p, float %x) "denormal-fp-math-f32"="preserve-sign,preserve-sign" {
  %a = atomicrmw fadd ptr addrspace(1) %p, float %x syncscope("device") monotonic, align 4
  ret void
}
