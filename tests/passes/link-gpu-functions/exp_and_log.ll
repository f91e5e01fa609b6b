; RUN: lockstep-opt -nvidia=sm_90 -passes=link-gpu-functions %s | FileCheck %s
; exp is the GPU's, log is libclc's unless it may be approximate.
target triple = "spir64-unknown-unknown"

; CHECK: declare spir_func float @_Z3logf(float)
; CHECK-LABEL: define spir_kernel void @kernel(
; CHECK: call spir_func float @_Z3expf(float %x)
; CHECK: call spir_func float @_Z3logf(float %x)
; CHECK: call afn spir_func <4 x float> @_Z27lockstep_nvidia_relaxed_expDv4_f(
; CHECK: call afn spir_func float @_Z27lockstep_nvidia_relaxed_logf(
; CHECK-DAG: define {{.*}}float @_Z3expf(
; CHECK-DAG: define {{.*}}<4 x float> @_Z27lockstep_nvidia_relaxed_expDv4_f(
; CHECK-DAG: define {{.*}}float @_Z27lockstep_nvidia_relaxed_logf(
declare spir_func float @_Z3expf(float)
declare spir_func <4 x float> @_Z3expDv4_f(<4 x float>)
declare spir_func float @_Z3logf(float)
define spir_kernel void @kernel(float %x, <4 x float> %y) {
  %a = call spir_func float @_Z3expf(float %x)
  %b = call spir_func float @_Z3logf(float %x)
  %c = call afn spir_func <4 x float> @_Z3expDv4_f(<4 x float> %y)
  %d = call afn spir_func float @_Z3logf(float %x)
  ret void
}
