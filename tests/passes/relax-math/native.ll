; RUN: lockstep-opt -passes=relax-math %s | FileCheck %s
; The CPU has no instructions for native functions. Calls of functions without the prefix become vector code.

; CHECK-LABEL: @kernel(
; CHECK: call spir_func float @_Z3expf(float %x)
; CHECK: call spir_func <4 x float> @_Z5log10Dv4_f(<4 x float> %v)
; CHECK: call spir_func float @_Z3cosf(float %x)
; CHECK: call spir_func float @_Z23__lockstep_relaxed_powrff(float %x, float %x)
; CHECK: call fast spir_func float @_Z23__lockstep_relaxed_powrff(float %x, float %x)
; There are instructions for these.
; CHECK: call spir_func float @_Z11native_sqrtf(float %x)
; CHECK: call spir_func float @_Z10half_recipf(float %x)
; CHECK: call spir_func float @_Z10native_logf(float %x)
define spir_func float @kernel(float %x, <4 x float> %v) {
  %a = call spir_func float @_Z10native_expf(float %x)
  %b = call spir_func <4 x float> @_Z12native_log10Dv4_f(<4 x float> %v)
  %c = call spir_func float @_Z8half_cosf(float %x)
  %d = call spir_func float @_Z11native_powrff(float %x, float %x)
  %e = call fast spir_func float @_Z9half_powrff(float %x, float %x)
  %f = call spir_func float @_Z11native_sqrtf(float %x)
  %g = call spir_func float @_Z10half_recipf(float %x)
  %h = call spir_func float @_Z10native_logf(float %x)
  ret float %a
}

; Of the program.
define spir_func float @_Z10native_logf(float %x) {
  ret float %x
}

declare spir_func float @_Z10native_expf(float)
declare spir_func <4 x float> @_Z12native_log10Dv4_f(<4 x float>)
declare spir_func float @_Z8half_cosf(float)
declare spir_func float @_Z11native_powrff(float, float)
declare spir_func float @_Z9half_powrff(float, float)
declare spir_func float @_Z11native_sqrtf(float)
declare spir_func float @_Z10half_recipf(float)
