; RUN: lockstep-opt -passes='isolate-group-operations,work-item-loops' --local-size=8,1,1 %s | FileCheck %s
; %place is computed again from %id, which crosses the barrier as well and has been replaced by a variable by then.

; CHECK-LABEL: @kernel
; CHECK-NOT: alloca
; CHECK: region.1:
; CHECK: %[[ID:.*]] = call i64 @__lockstep_group_id(i32 0)
; CHECK: %[[AGAIN:.*]] = call i64 @__lockstep_group_id(i32 0)
; CHECK: %[[INDEX:.*]] = and i64 %[[AGAIN]], 3
; CHECK: getelementptr i32, ptr addrspace(1) %p, i64 %[[INDEX]]
; CHECK-NOT: alloca
define void @kernel(ptr addrspace(1) %p) convergent {
entry:
  %id = call i64 @__lockstep_group_id(i32 0)
  %index = and i64 %id, 3
  call void @__lockstep_barrier(i32 2)
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %index
  store i64 %id, ptr addrspace(1) %place
  call void @__lockstep_barrier(i32 2)
  store i64 %index, ptr addrspace(1) %place
  ret void
}

declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)
declare void @__lockstep_barrier(i32) convergent nounwind
