; RUN: lockstep-opt -passes=lower-item-scopes %s | FileCheck %s
; A kernel without item scopes keeps its variables, its functions and its stores.

; CHECK-LABEL: define spir_kernel void @kernel
; CHECK-NEXT: %variable = alloca i32
; CHECK-NEXT: store i32 0, ptr %variable
; CHECK-NEXT: call void @other(ptr addrspace(1) %out)
; CHECK-NEXT: store i32 1, ptr addrspace(1) %out
; CHECK-NEXT: ret void
define spir_kernel void @kernel(ptr addrspace(1) %out) {
  %variable = alloca i32
  store i32 0, ptr %variable
  call void @other(ptr addrspace(1) %out)
  store i32 1, ptr addrspace(1) %out
  ret void
}

define internal void @other(ptr addrspace(1) %out) {
  store i32 2, ptr addrspace(1) %out
  ret void
}
