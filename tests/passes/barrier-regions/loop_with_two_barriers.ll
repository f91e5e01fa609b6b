; RUN: lockstep-opt -quiet -passes='isolate-group-operations,print<barrier-regions>' %s | FileCheck %s
; The header is in the entry's region and in that of the last barrier of the loop; both decide whether to go on.

; CHECK: region 0: %entry %header %body %end -> 1 end
; CHECK-NEXT: region 1: %after.operation -> 2 (repeats)
; CHECK-NEXT: region 2: %after.operation{{[0-9]+}} %header %body %end -> 1 end (repeats)
define void @kernel(i32 %n) convergent {
entry:
  br label %header
header:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %more = icmp ult i32 %i, %n
  br i1 %more, label %body, label %end
body:
  call void @__lockstep_barrier(i32 1)
  %next = add i32 %i, 1
  call void @__lockstep_barrier(i32 1)
  br label %header
end:
  ret void
}

declare void @__lockstep_barrier(i32) convergent
