; RUN: lockstep-opt -passes='isolate-group-operations,work-item-loops' --local-size=8,1,1 %s | FileCheck %s
; A private array that is written before and read after a barrier needs a copy for each work-item; one that is used in
; one region does not.

; CHECK-LABEL: @kernel
; CHECK-DAG: %[[KEPT:.*]] = alloca [4 x i32], i64 8
; CHECK-DAG: %[[SCRATCH:.*]] = alloca [16 x i32], align
; CHECK: getelementptr inbounds [4 x i32], ptr %[[KEPT]], i64
define void @kernel(ptr addrspace(1) %p, i64 %k) convergent {
entry:
  %kept = alloca [4 x i32]
  %scratch = alloca [16 x i32]
  %place = getelementptr i32, ptr %kept, i64 %k
  store i32 1, ptr %place
  call void @__lockstep_barrier(i32 1)
  %other = getelementptr i32, ptr %scratch, i64 %k
  store i32 2, ptr %other
  %a = load i32, ptr %place
  %b = load i32, ptr %other
  %sum = add i32 %a, %b
  store i32 %sum, ptr addrspace(1) %p
  ret void
}

declare void @__lockstep_barrier(i32) convergent nounwind
