; RUN: lockstep-opt -nvidia=sm_90 -passes=sum-local-halves-by-swaps %s | FileCheck %s
; RUN: lockstep-opt -nvidia=sm_90 -passes=sum-local-halves-by-swaps,order-atomics %s | llc -mtriple=nvptx64-nvidia-cuda -mcpu=sm_90 -mattr=+ptx78 | FileCheck %s --check-prefix=PTX
; An exchange of 16 bits swaps the 32 bits around them, and so do sums beside it.

; CHECK-LABEL: @adds(
; CHECK: [[FIRST:%[0-9]+]] = load atomic i16, ptr addrspace(3) %p syncscope("block") monotonic, align 2
; CHECK: [[SEEN:%[0-9]+]] = phi i16 [ [[FIRST]],
; CHECK: [[OLD:%[0-9]+]] = bitcast i16 [[SEEN]] to half
; CHECK: fadd half [[OLD]], %x
; CHECK: cmpxchg ptr addrspace(3) %p, i16 [[SEEN]], i16 {{.*}} syncscope("block") acq_rel monotonic, align 2
; CHECK-NOT: atomicrmw
; CHECK: ret half [[OLD]]
; PTX-LABEL: .func{{.*}} adds(
; PTX-NOT: add.noftz.f16 %rs{{[0-9]+}}, [
; PTX: atom{{.*}}shared{{.*}}cas.b32
define half @adds(ptr addrspace(3) %p, half %x) {
  %old = atomicrmw fadd ptr addrspace(3) %p, half %x syncscope("block") acq_rel, align 2
  ret half %old
}
; CHECK-LABEL: @generic(
; CHECK: cmpxchg volatile ptr %p, i16
define void @generic(ptr %p, half %x) {
  %old = atomicrmw volatile fadd ptr %p, half %x syncscope("device") monotonic, align 2
  ret void
}
