; RUN: lockstep-opt -passes='isolate-group-operations,work-item-loops' --local-size=64,1,1 %s | FileCheck %s
; Whether all lanes go on begins with a constant, as ids do, but depends on a phi: it crosses the barrier in memory.

; CHECK-LABEL: @kernel
; CHECK: %all{{.*}}of.items = alloca i1, i64 4
; CHECK: %[[START:start[^ ]*]] = phi i64
; CHECK: %[[ALL:.*]] = call i1 @__lockstep_all_lanes(i1 true, i64 %[[START]], i64 100, i64 15, i32 36)
; CHECK: region.1.body:
; CHECK-NOT: call i1 @__lockstep_all_lanes
; CHECK: load i1, ptr
define void @kernel(ptr addrspace(1) %p) convergent "lockstep-sub-group-size"="16" {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %low = icmp ult i64 %id, 32
  br i1 %low, label %join, label %high
high:
  br label %join
join:
  %start = phi i64 [ 0, %entry ], [ 90, %high ]
  %all = call i1 @__lockstep_all_lanes(i1 true, i64 %start, i64 100, i64 15, i32 36)
  call void @__lockstep_barrier(i32 2)
  br i1 %all, label %full, label %end
full:
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %id
  store i32 1, ptr addrspace(1) %place
  br label %end
end:
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare i1 @__lockstep_all_lanes(i1, i64, i64, i64, i32) nounwind willreturn memory(none)
declare void @__lockstep_barrier(i32) convergent nounwind
