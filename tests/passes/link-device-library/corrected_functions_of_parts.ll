; RUN: lockstep-opt -passes=link-device-library %s | FileCheck %s
; The part that corrects cospi is linked again, for sinpi, which another part calls: what ours calls stays libclc's.

; CHECK-DAG: define internal {{.*}}float @_Z5cospif(
; CHECK-DAG: call {{.*}}float @__libclc__Z5cospif(
; CHECK-DAG: define internal {{.*}}float @_Z5sinpif(
; CHECK-DAG: call {{.*}}float @__libclc__Z5sinpif(
; CHECK: define internal {{.*}}float @__libclc__Z5cospif(
; CHECK-NOT: call {{.*}}@__libclc_
; CHECK: }
define spir_kernel void @kernel(ptr addrspace(1) %p, half %h) {
  %x = load float, ptr addrspace(1) %p
  %y = call spir_func float @_Z5cospif(float %x)
  %z = call spir_func half @_Z5sinpiDh(half %h)
  %w = fpext half %z to float
  %s = fadd float %y, %w
  store float %s, ptr addrspace(1) %p
  ret void
}

declare spir_func float @_Z5cospif(float)
declare spir_func half @_Z5sinpiDh(half)
