; RUN: lockstep-opt -passes=split-vectors %s | FileCheck %s
; float2 arithmetic, a volatile access, a bit cast of char4 to int: nothing with a vector type is left.

; CHECK-LABEL: @kernel
; CHECK-NOT: <2 x float>
; CHECK-NOT: <4 x i8>
; CHECK: load float
; CHECK: fadd float
; CHECK: store volatile float
; CHECK: ret i32
define i32 @kernel(ptr addrspace(1) %p, ptr addrspace(1) %q) "lockstep-sub-group-size"="16" {
  %a = load <2 x float>, ptr addrspace(1) %p
  %b = fadd <2 x float> %a, %a
  store volatile <2 x float> %b, ptr addrspace(1) %p
  %c = load <4 x i8>, ptr addrspace(1) %q
  %i = bitcast <4 x i8> %c to i32
  ret i32 %i
}
