; RUN: lockstep-opt -passes=isolate-group-operations %s | FileCheck %s
; Each group operation gets a block of its own; there is one return.

; CHECK-LABEL: @kernel
; CHECK: entry:
; CHECK-NEXT: store i32 1
; CHECK-NEXT: br label %operation
; CHECK: operation:
; CHECK-NEXT: call void @__lockstep_barrier(i32 1)
; CHECK-NEXT: br label %[[NEXT:.*]]
; CHECK: [[NEXT]]:
; CHECK-NEXT: br label %[[SECOND:.*]]
; CHECK: [[SECOND]]:
; CHECK-NEXT: call void @__lockstep_barrier(i32 2)
; CHECK-NEXT: br label %after.operation
; CHECK-COUNT-1: ret void
; CHECK-NOT: ret void
define void @kernel(ptr addrspace(1) %p, i1 %c) convergent {
entry:
  store i32 1, ptr addrspace(1) %p
  call void @__lockstep_barrier(i32 1)
  call void @__lockstep_barrier(i32 2)
  br i1 %c, label %a, label %b
a:
  ret void
b:
  ret void
}

declare void @__lockstep_barrier(i32) convergent
