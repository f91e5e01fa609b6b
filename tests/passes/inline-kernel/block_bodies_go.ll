; A block's body is called directly, and its address stands in the block's record: the call is inlined, the function goes,
; and the record, which nothing but a call through a pointer could use, holds null.
; RUN: lockstep-opt -passes=inline-kernel %s | FileCheck %s

target triple = "spir64-unknown-unknown"

@record = internal addrspace(1) constant { i32, i32, ptr addrspace(4) } { i32 16, i32 8, ptr addrspace(4) addrspacecast (ptr @body to ptr addrspace(4)) }, align 8

; CHECK: @record = {{.*}} { i32 16, i32 8, ptr addrspace(4) addrspacecast (ptr null to ptr addrspace(4)) }
; CHECK-LABEL: define spir_kernel void @k(
; CHECK: mul i32
; CHECK-NOT: call
; CHECK: ret void
; CHECK-NOT: define
define spir_kernel void @k(ptr addrspace(1) %a) {
  %variable = alloca ptr addrspace(4), align 8
  store ptr addrspace(4) addrspacecast (ptr addrspace(1) @record to ptr addrspace(4)), ptr %variable, align 8
  %x = load i32, ptr addrspace(1) %a, align 4
  %y = call spir_func i32 @body(ptr addrspace(4) addrspacecast (ptr addrspace(1) @record to ptr addrspace(4)), i32 %x)
  store i32 %y, ptr addrspace(1) %a, align 4
  ret void
}

define internal spir_func i32 @body(ptr addrspace(4) %record, i32 %x) {
  %y = mul i32 %x, 2
  ret i32 %y
}
