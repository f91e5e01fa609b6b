; RUN: lockstep-opt -passes=mark-user-code %s | FileCheck %s
; What the program wrote is marked before the device library comes, and what it gives to collectives is noted.

; CHECK-LABEL: define spir_kernel void @votes
; CHECK: load i32, ptr addrspace(1) %from, align 4, !lockstep.user.code
; CHECK: call void @__lockstep_collective_use.i32(i32 %mine)
; CHECK-NEXT: call spir_func i32 @_Z14work_group_alli(i32 %mine)
; A constant is defined, and a shuffle only copies.
; CHECK: call spir_func i32 @_Z14work_group_alli(i32 1)
; CHECK-NOT: __lockstep_collective_use
; CHECK: call spir_func i32 @_Z17sub_group_shuffleij
; CHECK: br i1 %{{.*}}, label %one, label %other, !lockstep.user.code
define spir_kernel void @votes(ptr addrspace(1) %from) {
  %mine = load i32, ptr addrspace(1) %from, align 4
  %all = call spir_func i32 @_Z14work_group_alli(i32 %mine)
  %same = call spir_func i32 @_Z14work_group_alli(i32 1)
  %moved = call spir_func i32 @_Z17sub_group_shuffleij(i32 %mine, i32 0)
  %is = icmp eq i32 %all, 0
  br i1 %is, label %one, label %other

one:
  ret void

other:
  ret void
}

declare spir_func i32 @_Z14work_group_alli(i32)
declare spir_func i32 @_Z17sub_group_shuffleij(i32, i32)
