; RUN: lockstep-opt -passes=link-device-library %s | FileCheck %s
; A function of libclc that ours corrects is linked under a name of its own, and ours calls it.

; CHECK-LABEL: define {{.*}}@lockstep.kernel
; CHECK: call {{.*}}float @_Z5cospif(
; CHECK: define internal {{.*}}float @_Z5cospif(
; CHECK: call {{.*}}float @__libclc__Z5cospif(
; CHECK: define internal {{.*}}float @__libclc__Z5cospif(
define spir_kernel void @kernel(ptr addrspace(1) %p) {
  %x = load float, ptr addrspace(1) %p
  %y = call spir_func float @_Z5cospif(float %x)
  store float %y, ptr addrspace(1) %p
  ret void
}

declare spir_func float @_Z5cospif(float)
