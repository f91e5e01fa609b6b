; RUN: lockstep-opt -passes=relax-math %s | FileCheck %s

; CHECK: call fast spir_func float @_Z22__lockstep_relaxed_powff(float %x, float %y)
; CHECK: call afn <4 x float> @_Z23__lockstep_relaxed_powrDv4_fS_(
; CHECK: call spir_func float @_Z3powff(float %x, float %y)
; CHECK: call fast double @_Z3powdd(
; CHECK: call fast float @_Z3powself(
define spir_func float @kernel(float %x, float %y, <4 x float> %v, double %d) {
  %a = call fast spir_func float @_Z3powff(float %x, float %y)
  %b = call afn <4 x float> @_Z4powrDv4_fS_(<4 x float> %v, <4 x float> %v)
  %c = call spir_func float @_Z3powff(float %x, float %y)
  %e = call fast double @_Z3powdd(double %d, double %d)
  %f = call fast float @_Z3powself(float %x)
  ret float %a
}

declare spir_func float @_Z3powff(float, float)
declare <4 x float> @_Z4powrDv4_fS_(<4 x float>, <4 x float>)
declare double @_Z3powdd(double, double)
; Of the program.
define float @_Z3powself(float %x) {
  ret float %x
}
