; RUN: lockstep-opt -passes='isolate-group-operations,work-item-loops' --local-size=8,1,1 %s | FileCheck %s
; The counter of a loop with a barrier is uniform. Region 1 must read it before its loop over work-items: the first
; work-item already computes the next value.

; CHECK-LABEL: @kernel
; CHECK: operation.1:
; CHECK-NEXT: %[[I:.*]] = phi i32
; CHECK: region.1:
; CHECK: %next.r1 = add i32 %[[I]], 1
; CHECK-NEXT: %more.r1 = icmp ult i32 %next.r1, %n
; CHECK: region.1.done:
; CHECK-NEXT: switch i32 %{{.*}}, label %group.end [
; CHECK-NEXT: i32 1, label %operation.1
define void @kernel(i32 %n) convergent {
entry:
  br label %header
header:
  %i = phi i32 [ 0, %entry ], [ %next, %header ]
  call void @__lockstep_barrier(i32 1)
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %header, label %end
end:
  ret void
}

declare void @__lockstep_barrier(i32) convergent nounwind
