; RUN: lockstep-opt -passes=make-reducible %s | FileCheck %s

; %made reaches the phi of %c by way of %b, to which the dispatch block leads. There its value is the one that the dispatch block
; keeps: %made does not dominate %b any more.
; CHECK-LABEL: @kernel
; CHECK: dispatch:
; CHECK: [[KEPT:%[^ ]*]] = phi i32 [ 0, %{{.*}} ], [ 0, %{{.*}} ], [ 0, %{{.*}} ], [ %made, %a ], [ [[KEPT]], %b ]
; CHECK: [[MERGED:%[^ ]*]] = phi i32 [ 0, %{{.*}} ], [ 0, %{{.*}} ], [ 7, %{{.*}} ], [ 0, %a ], [ [[KEPT]], %b ]
; CHECK: c:
; CHECK-NEXT: store i32 [[MERGED]], ptr addrspace(1) %out
declare void @__lockstep_barrier(i32) convergent
define void @kernel(ptr addrspace(1) %out, i32 %where) convergent {
entry:
  switch i32 %where, label %a [ i32 1, label %a.too
                                i32 2, label %c ]
a:
  %made = load i32, ptr addrspace(1) %out
  call void @__lockstep_barrier(i32 1)
  br label %b
b:
  call void @__lockstep_barrier(i32 1)
  br label %c
c:
  %value = phi i32 [ %made, %b ], [ 7, %entry ]
  store i32 %value, ptr addrspace(1) %out
  br label %a.too
a.too:
  %again = load volatile i1, ptr addrspace(1) %out
  br i1 %again, label %a, label %end
end:
  ret void
}
