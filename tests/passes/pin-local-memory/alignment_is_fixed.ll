; RUN: lockstep-opt -passes=pin-local-memory %s | FileCheck %s

; CHECK: @a = internal addrspace(3) global [4 x i32] undef, section "lockstep.local", align 4
; CHECK: @b = internal addrspace(3) global [4 x float] undef, section "lockstep.local", align 16
; CHECK: @c = internal addrspace(2) constant i32 1
@a = internal addrspace(3) global [4 x i32] undef
@b = internal addrspace(3) global [4 x float] undef, align 16
@c = internal addrspace(2) constant i32 1

define spir_kernel void @kernel() {
  %x = load i32, ptr addrspace(3) @a
  %y = load i32, ptr addrspace(3) @b
  %z = load i32, ptr addrspace(2) @c
  ret void
}
