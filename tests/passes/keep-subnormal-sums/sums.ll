; RUN: lockstep-opt -nvidia=sm_90 -passes=keep-subnormal-sums %s | FileCheck %s
; RUN: lockstep-opt -nvidia=sm_90 -passes=keep-subnormal-sums,order-atomics %s | llc -mtriple=nvptx64-nvidia-cuda -mcpu=sm_90 -mattr=+ptx78 | FileCheck %s --check-prefix=PTX
; atom.add.f32 flushes subnormal numbers in global memory. Numbers below 2^-100 are added by compare-and-swap.

; CHECK-LABEL: @global(
; CHECK: [[SIZE:%[0-9]+]] = call float @llvm.fabs.f32(float %x)
; CHECK: fcmp olt float [[SIZE]], 0x39B0000000000000
; CHECK: [[FIRST:%[0-9]+]] = load atomic i32, ptr addrspace(1) %p syncscope("device") monotonic, align 4
; CHECK: swap:
; CHECK: [[SEEN:%[0-9]+]] = phi i32 [ [[FIRST]],
; CHECK: [[OLD:%[0-9]+]] = bitcast i32 [[SEEN]] to float
; CHECK: fadd float [[OLD]], %x
; CHECK: cmpxchg ptr addrspace(1) %p, i32 [[SEEN]], i32 {{.*}} syncscope("device") acq_rel monotonic, align 4
; CHECK: [[SUM:%[a-z0-9]+]] = atomicrmw fadd ptr addrspace(1) %p, float %x syncscope("device") acq_rel, align 4
; CHECK: [[RESULT:%[0-9]+]] = phi float [ [[OLD]], {{.*}} ], [ [[SUM]],
; CHECK: ret float [[RESULT]]
; PTX-LABEL: .func{{.*}} global(
; PTX-DAG: atom{{.*}}cas.b32
; PTX-DAG: atom{{.*}}global.add.f32
define float @global(ptr addrspace(1) %p, float %x) {
  %old = atomicrmw fadd ptr addrspace(1) %p, float %x syncscope("device") acq_rel, align 4
  ret float %old
}

; Generic pointers may point to global memory. Nobody needs the old value here.
; CHECK-LABEL: @generic(
; CHECK: cmpxchg volatile ptr %p
; CHECK: atomicrmw volatile fadd ptr %p
; CHECK-NOT: phi float
; CHECK: ret void
define void @generic(ptr %p, float %x) {
  %old = atomicrmw volatile fadd ptr %p, float %x syncscope("device") monotonic, align 4
  ret void
}

; CHECK-LABEL: @small_constant(
; CHECK: cmpxchg
define void @small_constant(ptr addrspace(1) %p) {
  %old = atomicrmw fadd ptr addrspace(1) %p, float 0.0 syncscope("device") monotonic, align 4
  ret void
}
