; RUN: lockstep-opt -passes=make-reducible %s | FileCheck %s

; What %a has computed reaches %c by way of %b, so the dispatch block keeps it: its phi refers to itself behind %b.
; CHECK-LABEL: @kernel
; CHECK: dispatch:
; CHECK: [[CARRIED:%.*]] = phi i32 [ 0, %entry ], [ %made, %a ], [ [[CARRIED]], %b ]
; CHECK: c:
; CHECK: store i32 [[CARRIED]], ptr addrspace(1) %out
declare void @__lockstep_barrier(i32) convergent
define void @kernel(ptr addrspace(1) %out, i1 %where, i32 %n) convergent {
entry:
  br i1 %where, label %a, label %a.too
a:
  %made = load i32, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1)
  br label %b
b:
  call void @__lockstep_barrier(i32 1)
  br label %c
c:
  store i32 %made, ptr addrspace(1) %out
  br label %a.too
a.too:
  %again = load volatile i1, ptr addrspace(1) %out
  br i1 %again, label %a, label %end
end:
  ret void
}
