; RUN: lockstep-opt -passes='isolate-group-operations,work-item-loops' --local-size=8,1,1 %s | FileCheck %s
; A private variable whose size is no multiple of its alignment: the next work-item's must be aligned as well.

; CHECK-LABEL: @kernel
; CHECK-DAG: %[[KEPT:.*]] = alloca [192 x i8], i64 8, align 64
; CHECK: getelementptr inbounds [192 x i8], ptr %[[KEPT]], i64
define void @kernel(ptr addrspace(1) %p, i64 %k) convergent {
entry:
  %kept = alloca [132 x i8], align 64
  %place = getelementptr i32, ptr %kept, i64 %k
  store i32 1, ptr %place
  call void @__lockstep_barrier(i32 1)
  %a = load i32, ptr %place
  store i32 %a, ptr addrspace(1) %p
  ret void
}

declare void @__lockstep_barrier(i32) convergent nounwind
