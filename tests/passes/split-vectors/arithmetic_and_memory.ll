; RUN: lockstep-opt -passes=split-vectors %s | FileCheck %s
; float2 arithmetic, a volatile access, a bit cast of char4 to int, a memcpy: nothing with a vector type is left.

; CHECK-LABEL: @kernel
; CHECK-NOT: <2 x float>
; CHECK-NOT: <4 x i8>
; CHECK-NOT: llvm.memcpy
; CHECK: load float
; CHECK: fadd float
; CHECK: store volatile float
; CHECK: ret i32
define i32 @kernel(ptr addrspace(1) %p, ptr addrspace(1) %q, ptr addrspace(1) %r) "lockstep-sub-group-size"="16" {
  %a = load <2 x float>, ptr addrspace(1) %p
  %b = fadd <2 x float> %a, %a
  store volatile <2 x float> %b, ptr addrspace(1) %p
  %c = load <4 x i8>, ptr addrspace(1) %q
  %i = bitcast <4 x i8> %c to i32
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %r, ptr addrspace(1) %q, i64 64, i1 false)
  ret i32 %i
}
