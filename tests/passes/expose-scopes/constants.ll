; RUN: lockstep-opt -passes=expose-scopes %s | FileCheck %s
; Constants stay as they are, and so do orders, which are the instruction's own, flags of barriers, which these keep, and
; functions that have a body.

; CHECK-LABEL: define spir_kernel void @k(
; CHECK-NEXT: call i32 @_Z20atomic_load_explicitPU3AS1VU7_Atomicj12memory_order12memory_scope(ptr addrspace(1) %p, i32 %n, i32 1)
; CHECK-NEXT: call void @_Z22atomic_work_item_fencej12memory_order12memory_scope(i32 2, i32 %n, i32 2)
; CHECK-NEXT: call void @_Z7barrierj(i32 %n)
; CHECK-NEXT: call void @_Z18work_group_barrierj12memory_scope(i32 %n, i32 2)
; CHECK-NEXT: call void @_Z17sub_group_barrierj12memory_scope(i32 %n, i32 %n)
; CHECK-NEXT: call void @_Z14atomic_of_mine12memory_scope(i32 %n)
; CHECK-NEXT: ret void
define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) {
  %a = call i32 @_Z20atomic_load_explicitPU3AS1VU7_Atomicj12memory_order12memory_scope(ptr addrspace(1) %p, i32 %n, i32 1)
  call void @_Z22atomic_work_item_fencej12memory_order12memory_scope(i32 2, i32 %n, i32 2)
  call void @_Z7barrierj(i32 %n)
  call void @_Z18work_group_barrierj12memory_scope(i32 %n, i32 2)
  call void @_Z17sub_group_barrierj12memory_scope(i32 %n, i32 %n)
  call void @_Z14atomic_of_mine12memory_scope(i32 %n)
  ret void
}
define void @_Z14atomic_of_mine12memory_scope(i32 %n) {
  ret void
}

declare i32 @_Z20atomic_load_explicitPU3AS1VU7_Atomicj12memory_order12memory_scope(ptr addrspace(1), i32, i32)
declare void @_Z22atomic_work_item_fencej12memory_order12memory_scope(i32, i32, i32)
declare void @_Z7barrierj(i32)
declare void @_Z18work_group_barrierj12memory_scope(i32, i32)
declare void @_Z17sub_group_barrierj12memory_scope(i32, i32)
