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

; What all get of one work-item's value is known where its bits are, which go to all beside it.
; CHECK-LABEL: define spir_kernel void @broadcast
; CHECK: call void @__lockstep_collective_use.i64(i64 %from)
; CHECK: [[BITS:%.*]] = call i32 @__lockstep_bits_of.float(float %mine)
; CHECK: [[WORD:%.*]] = zext i32 [[BITS]] to i64
; CHECK: [[COMPUTED:%.*]] = call i1 @__lockstep_computed_of.float(float %mine)
; CHECK: [[ALL:%.*]] = call spir_func i64 @_Z20work_group_broadcastmm(i64 %{{.*}}, i64 %from)
; CHECK: [[TAKEN:%.*]] = trunc i64 [[ALL]] to i32
; CHECK: %all = call spir_func float @_Z20work_group_broadcastfm(float %mine, i64 %from)
; CHECK: [[RESULT:%.*]] = call float @__lockstep_with_bits.float(float %all, i32 [[TAKEN]], i1 %{{.*}})
; CHECK: store float [[RESULT]], ptr addrspace(1) %to
define spir_kernel void @broadcast(ptr addrspace(1) %to, float %mine, i64 %from) {
  %all = call spir_func float @_Z20work_group_broadcastfm(float %mine, i64 %from)
  store float %all, ptr addrspace(1) %to
  ret void
}

declare spir_func float @_Z20work_group_broadcastfm(float, i64)
declare spir_func i32 @_Z14work_group_alli(i32)
declare spir_func i32 @_Z17sub_group_shuffleij(i32, i32)
