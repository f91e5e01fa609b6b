; RUN: lockstep-opt -passes='isolate-group-operations,work-item-loops' --local-size=8,1,1 %s | FileCheck %s
; A value of each work-item goes to an array; a uniform one stays in a register; an index is computed again.

; CHECK-LABEL: @kernel
; CHECK: %[[ARRAY:.*]] = alloca i32, i64 8, align 64
; CHECK-NOT: alloca
; Region 0 keeps the value.
; CHECK: region.0.to.1:
; CHECK-NEXT: %[[PLACE:.*]] = getelementptr inbounds i32, ptr %[[ARRAY]], i64
; CHECK-NEXT: store i32 %mine.r0, ptr %[[PLACE]], align 4
; Region 1 makes the address of its store from the id again, and loads the kept value.
; CHECK: region.1.body:
; CHECK: getelementptr i32, ptr addrspace(1) %p, i64 %local.id
; CHECK: %[[AGAIN:.*]] = getelementptr inbounds i32, ptr %[[ARRAY]], i64
; CHECK: %[[MINE:.*]] = load i32, ptr %[[AGAIN]], align 4
; CHECK: add i32 %[[MINE]], %uniform.r0
; CHECK-NOT: call void @__lockstep_barrier
define void @kernel(ptr addrspace(1) %p, ptr addrspace(1) %q) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %uniform = load i32, ptr addrspace(1) %q
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %id
  %mine = load i32, ptr addrspace(1) %place
  call void @__lockstep_barrier(i32 2)
  %sum = add i32 %mine, %uniform
  store i32 %sum, ptr addrspace(1) %place
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare void @__lockstep_barrier(i32) convergent nounwind
