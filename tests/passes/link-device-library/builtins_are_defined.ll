; RUN: lockstep-opt -passes=link-device-library --kernel=second %s | FileCheck %s
; The chosen kernel and what it needs are left: a builtin from our library, one from libclc; the triple is the host's.

; CHECK: target triple = "x86_64
; CHECK-NOT: @first
; CHECK: define {{.*}}void @lockstep.kernel(
; CHECK-DAG: define internal {{.*}} @_Z13get_global_idj(
; CHECK-DAG: define internal {{.*}} @_Z4sqrtf(
; CHECK-DAG: declare {{.*}} @__lockstep_local_id(
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

define spir_kernel void @first() {
  ret void
}

define spir_kernel void @second(ptr addrspace(1) %p) {
  %i = call spir_func i64 @_Z13get_global_idj(i32 0)
  %place = getelementptr float, ptr addrspace(1) %p, i64 %i
  %x = load float, ptr addrspace(1) %place
  %y = call spir_func float @_Z4sqrtf(float %x)
  store float %y, ptr addrspace(1) %place
  ret void
}

declare spir_func i64 @_Z13get_global_idj(i32)
declare spir_func float @_Z4sqrtf(float)
