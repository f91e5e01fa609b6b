; RUN: lockstep-opt -nvidia=sm_90 -passes=order-atomics %s | FileCheck %s
; RUN: lockstep-opt -nvidia=sm_90 -passes=order-atomics %s | llc -mtriple=nvptx64-nvidia-cuda -mcpu=sm_90 -mattr=+ptx78 | FileCheck %s --check-prefix=PTX
; Fences of the update's scope have its order.

; CHECK-LABEL: @acquire_release(
; CHECK-NEXT: fence syncscope("device") release
; CHECK-NEXT: atomicrmw add ptr addrspace(1) %p, i32 1 syncscope("device") monotonic
; CHECK-NEXT: fence syncscope("device") acquire
; PTX-LABEL: .func {{.*}}acquire_release(
; PTX: fence.acq_rel.gpu;
; PTX: atom.{{.*}}add.u32
; PTX: fence.acq_rel.gpu;
define i32 @acquire_release(ptr addrspace(1) %p) {
  %old = atomicrmw add ptr addrspace(1) %p, i32 1 syncscope("device") acq_rel
  ret i32 %old
}
; CHECK-LABEL: @release(
; CHECK-NEXT: fence syncscope("block") release
; CHECK-NEXT: atomicrmw xchg ptr addrspace(1) %p, i32 1 syncscope("block") monotonic
; CHECK-NEXT: ret
; PTX-LABEL: .func {{.*}}release(
; PTX: fence.acq_rel.cta;
; PTX: atom.{{.*}}exch.b32
define i32 @release(ptr addrspace(1) %p) {
  %old = atomicrmw xchg ptr addrspace(1) %p, i32 1 syncscope("block") release
  ret i32 %old
}
; CHECK-LABEL: @acquire(
; CHECK-NEXT: atomicrmw or ptr addrspace(1) %p, i32 1 syncscope("device") monotonic
; CHECK-NEXT: fence syncscope("device") acquire
define i32 @acquire(ptr addrspace(1) %p) {
  %old = atomicrmw or ptr addrspace(1) %p, i32 1 syncscope("device") acquire
  ret i32 %old
}
; CHECK-LABEL: @sequential(
; CHECK-NEXT: fence syncscope("device") seq_cst
; CHECK-NEXT: atomicrmw sub ptr addrspace(1) %p, i32 1 syncscope("device") monotonic
; CHECK-NEXT: fence syncscope("device") acquire
; PTX-LABEL: .func {{.*}}sequential(
; PTX: fence.sc.gpu;
define i32 @sequential(ptr addrspace(1) %p) {
  %old = atomicrmw sub ptr addrspace(1) %p, i32 1 syncscope("device") seq_cst
  ret i32 %old
}
