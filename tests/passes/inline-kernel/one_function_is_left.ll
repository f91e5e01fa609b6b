; RUN: lockstep-opt -passes=inline-kernel %s | FileCheck %s
; Functions are inlined whatever their attributes say.

; CHECK-LABEL: define spir_kernel void @kernel
; CHECK: add i32
; CHECK-NOT: call
; CHECK-NOT: define
define spir_kernel void @kernel(ptr addrspace(1) %out) {
  %a = load i32, ptr addrspace(1) %out
  %b = call i32 @helper(i32 %a)
  store i32 %b, ptr addrspace(1) %out
  ret void
}

define internal i32 @helper(i32 %a) noinline optnone {
  %r = add i32 %a, 1
  ret i32 %r
}
