; RUN: lockstep-opt -passes=place-group-scratch %s | FileCheck %s
; Scratch memory is a local variable behind the kernel's own, for 4096 sub-groups and the result.

; CHECK: @own = internal addrspace(3) global i32 undef
; CHECK: @lockstep.group.scratch = internal addrspace(3) global [4097 x i64] undef, align 64
; CHECK: store i64 1, ptr addrspace(3) @lockstep.group.scratch
; CHECK-NOT: __lockstep_group_scratch
@own = internal addrspace(3) global i32 undef
define spir_kernel void @kernel() {
  %scratch = call ptr addrspace(3) @__lockstep_group_scratch()
  store i64 1, ptr addrspace(3) %scratch
  ret void
}

declare ptr addrspace(3) @__lockstep_group_scratch() nounwind willreturn memory(none)
