; RUN: lockstep-opt -passes=make-reducible %s | FileCheck %s

; The selector says which entry comes next, and phis of the entries move to the dispatch block. Edges back to the first
; entry lead there as well; others stay.
; CHECK-LABEL: @two_entries
; CHECK: entry:
; CHECK-NEXT: [[FIRST:%.*]] = select i1 %c, i1 false, i1 true
; CHECK-NEXT: br label %dispatch
; CHECK: dispatch:
; CHECK-DAG: [[X:%.*]] = phi i32 [ 1, %entry ], [ 0, %a ]
; CHECK-DAG: [[Y:%.*]] = phi i32 [ 2, %entry ], [ %x1, %a ]
; CHECK-DAG: [[NEXT:%.*]] = phi i1 [ [[FIRST]], %entry ], [ true, %a ]
; CHECK: br i1 [[NEXT]], label %b, label %a
; CHECK: a:
; CHECK-NEXT: phi i32 [ %y1, %b ], [ [[X]], %dispatch ]
; CHECK: br i1 %again, label %dispatch, label %end
; CHECK: b:
; CHECK-NEXT: mul i32 [[Y]], 5
; CHECK: br label %a
define i32 @two_entries(i1 %c, ptr %p) {
entry:
  br i1 %c, label %a, label %b
a:
  %x = phi i32 [ 1, %entry ], [ %y1, %b ]
  %x1 = add i32 %x, 3
  %again = load volatile i1, ptr %p
  br i1 %again, label %b, label %end
b:
  %y = phi i32 [ 2, %entry ], [ %x1, %a ]
  %y1 = mul i32 %y, 5
  br label %a
end:
  ret i32 %x1
}

; Cycles within the loop that is made are made reducible in turn. Edges of a switch get blocks of their own.
; CHECK-LABEL: @nested
; CHECK: dispatch:
; CHECK: [[WAY:%.*]] = phi i32 [ 0, %edge{{.*}} ], [ 0, %edge{{.*}} ], [ 7, %edge{{.*}} ], [ 8, %a ], [ 9, %b ]
; CHECK: [[NEXT:%.*]] = phi i32 [ 0, %edge{{.*}} ], [ 1, %edge{{.*}} ], [ 2, %edge{{.*}} ], [ 2, %a ], [ 2, %b ]
; CHECK: [[IS_C:%.*]] = icmp eq i32 [[NEXT]], 2
; CHECK: br i1 [[IS_C]], label %c, label %[[MORE:.*]]
; CHECK: [[MORE]]:
; CHECK: br label %[[INNER:dispatch.*]]
; CHECK: a:
; CHECK: br i1 %x, label %b, label %dispatch
; CHECK: [[INNER]]:
; CHECK: phi i1 [ %{{.*}}, %[[MORE]] ], [ true, %b ], [ false, %c ]
; CHECK: b:
; CHECK: br i1 %y, label %dispatch, label %[[INNER]]
; CHECK: c:
; CHECK: br i1 %z, label %[[INNER]], label %end
define void @nested(i32 %n, ptr %p) {
entry:
  switch i32 %n, label %a [ i32 1, label %b
                            i32 2, label %c
                            i32 3, label %c ]
a:
  %x = load volatile i1, ptr %p
  br i1 %x, label %b, label %c
b:
  %y = load volatile i1, ptr %p
  br i1 %y, label %c, label %a
c:
  %way = phi i32 [ 7, %entry ], [ 7, %entry ], [ 8, %a ], [ 9, %b ]
  store volatile i32 %way, ptr %p
  %z = load volatile i1, ptr %p
  br i1 %z, label %b, label %end
end:
  ret void
}
