; RUN: lockstep-opt -passes='isolate-group-operations,work-item-loops' %s | FileCheck %s
; Without a known local size there are three loops and the sizes are asked for once.

; CHECK-LABEL: @kernel
; CHECK-COUNT-3: %local.size{{[0-9]*}} = call i64 @__lockstep_local_size
; CHECK: region.0.body:
; CHECK: icmp ult i64 %next.id{{[0-9]*}}, %local.size
define void @kernel(ptr addrspace(1) %p) {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %place = getelementptr i8, ptr addrspace(1) %p, i64 %x
  store i8 1, ptr addrspace(1) %place
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
