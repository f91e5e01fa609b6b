; RUN: lockstep-opt -passes='isolate-group-operations,work-item-loops' --local-size=8,1,1 %s | FileCheck %s
; A group operation other than a barrier stands between the loops.

; CHECK-LABEL: @kernel
; CHECK: operation.1:
; CHECK-NEXT: br label %operation.once
; CHECK: operation.once:
; CHECK-NEXT: call void @__lockstep_group_copy(ptr addrspace(4) %d, ptr addrspace(4) %s, i64 %n, i64 1, i64 1, i64 4)
; CHECK-NEXT: br label %region.1
; CHECK-NOT: call void @__lockstep_group_copy
define void @kernel(ptr addrspace(4) %d, ptr addrspace(4) %s, i64 %n) convergent {
entry:
  call void @__lockstep_group_copy(ptr addrspace(4) %d, ptr addrspace(4) %s, i64 %n, i64 1, i64 1, i64 4)
  ret void
}

declare void @__lockstep_group_copy(ptr addrspace(4), ptr addrspace(4), i64, i64, i64, i64) convergent nounwind
