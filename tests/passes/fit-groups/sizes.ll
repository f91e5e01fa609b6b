; RUN: lockstep-opt -nvidia=sm_90 -passes=fit-groups %s | FileCheck %s
; The ids and sizes are those of the group, whose work-items are the first of the block. Others end.

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: [[ITEM:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
; CHECK: [[PLANE:%.*]] = mul i32 %x, %y
; CHECK: [[ROWS:%.*]] = udiv i32 [[ITEM]], %x
; CHECK: [[X:%.*]] = urem i32 [[ITEM]], %x
; CHECK: [[Y:%.*]] = urem i32 [[ROWS]], %y
; CHECK: [[ITEMS:%.*]] = mul i32 [[PLANE]], %z
; CHECK: [[THERE:%.*]] = icmp ult i32 [[ITEM]], [[ITEMS]]
; CHECK: br i1 [[THERE]], label %group, label %not_in_group
; CHECK: group:
; CHECK: %sum = add i32 [[X]], [[Y]]
; CHECK: %all = add i32 %sum, %x
; CHECK: not_in_group:
; CHECK-NEXT: ret void
declare void @lockstep_nvidia_group_size(i32, i32, i32)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
define internal i32 @row() alwaysinline {
  %row = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  ret i32 %row
}
define ptx_kernel void @kernel(ptr addrspace(1) %to, i32 %x, i32 %y, i32 %z) {
entry:
  call void @lockstep_nvidia_group_size(i32 %x, i32 %y, i32 %z)
  %column = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = call i32 @row()
  %width = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %sum = add i32 %column, %row
  %all = add i32 %sum, %width
  store i32 %all, ptr addrspace(1) %to, align 4
  ret void
}
