; The convention of x86 returns a fourth floating-point number on the x87 stack, which changes signalling NaNs and fills up.
; RUN: lockstep-opt -passes=plain-signatures %s | FileCheck %s

; CHECK-LABEL: define internal { i32, i32, i32, i32 } @four(
; CHECK: %[[LAST:.*]] = extractelement <4 x float> %{{.*}}, i64 3
; CHECK: %[[BITS:.*]] = bitcast float %[[LAST]] to i32
; CHECK: insertvalue { i32, i32, i32, i32 } %{{.*}}, i32 %[[BITS]], 3
define internal <4 x float> @four(<4 x float> %x) #0 {
  ret <4 x float> %x
}

; CHECK-LABEL: define internal { float, float, float } @three(
define internal <3 x float> @three(<3 x float> %x) #0 {
  ret <3 x float> %x
}

; CHECK-LABEL: define spir_kernel void @kernel
; CHECK: %[[ALL:.*]] = call { i32, i32, i32, i32 } @four(
; CHECK: %[[BITS:.*]] = extractvalue { i32, i32, i32, i32 } %[[ALL]], 3
; CHECK: %[[LAST:.*]] = bitcast i32 %[[BITS]] to float
; CHECK: insertelement <4 x float> %{{.*}}, float %[[LAST]], i64 3
define spir_kernel void @kernel(ptr addrspace(1) %out, <4 x float> %x, <3 x float> %y) {
  %r = call <4 x float> @four(<4 x float> %x)
  store <4 x float> %r, ptr addrspace(1) %out
  %s = call <3 x float> @three(<3 x float> %y)
  store <3 x float> %s, ptr addrspace(1) %out
  ret void
}

attributes #0 = { "lockstep-out-of-line" }
