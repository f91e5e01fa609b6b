; RUN: lockstep-opt -nvidia=sm_90 -passes=exchange-local-stores %s | FileCheck %s
; RUN: lockstep-opt -nvidia=sm_90 -passes=exchange-local-stores,order-atomics %s | llc -mtriple=nvptx64-nvidia-cuda -mcpu=sm_90 -mattr=+ptx78 | FileCheck %s --check-prefix=PTX
; An atomic store to local memory, or to any memory through a generic pointer, is an exchange of the same order and scope.

; CHECK-LABEL: @gives_back(
; CHECK-NEXT: atomicrmw xchg ptr addrspace(3) %lock, i32 0 syncscope("block") release
; CHECK-NEXT: ret
; PTX-LABEL: .func gives_back(
; PTX: fence.acq_rel.cta;
; PTX: atom.{{.*}}shared{{.*}}exch.b32
define void @gives_back(ptr addrspace(3) %lock) {
  store atomic i32 0, ptr addrspace(3) %lock syncscope("block") release, align 4
  ret void
}
; CHECK-LABEL: @generic(
; CHECK: [[BITS:%[0-9]+]] = bitcast float %x to i32
; CHECK: atomicrmw xchg ptr %p, i32 [[BITS]] syncscope("device") monotonic
define void @generic(ptr %p, float %x) {
  store atomic float %x, ptr %p syncscope("device") monotonic, align 4
  ret void
}
; CHECK-LABEL: @pointer(
; CHECK: [[BITS:%[0-9]+]] = ptrtoint ptr addrspace(1) %x to i64
; CHECK: atomicrmw xchg ptr addrspace(3) %p, i64 [[BITS]] syncscope("block") seq_cst, align 8
define void @pointer(ptr addrspace(3) %p, ptr addrspace(1) %x) {
  store atomic ptr addrspace(1) %x, ptr addrspace(3) %p syncscope("block") seq_cst, align 8
  ret void
}
