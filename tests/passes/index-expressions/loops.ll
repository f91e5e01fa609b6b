; RUN: lockstep-opt -quiet '-passes=print<index-expressions>' %s | FileCheck %s
; Induction variables have a step; what a loop leaves behind is its last value.

; CHECK-LABEL: index expressions of counted
; CHECK: %i, step 1 : {{.*}}%i =
; CHECK: %narrow, nuw, nsw, step 2, nuw, nsw : {{.*}}%narrow =
; CHECK: %at, step 4 * %n : {{.*}}%at =
; CHECK: %doubled : {{.*}}%doubled =
; CHECK: %i + 1 : {{.*}}%next =
; CHECK: %i + 1 : {{.*}}%last =
define i64 @counted(ptr addrspace(1) %p, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %narrow = phi i32 [ 5, %entry ], [ %narrow.next, %loop ]
  %at = phi ptr addrspace(1) [ %p, %entry ], [ %at.next, %loop ]
  %doubled = phi i64 [ 1, %entry ], [ %twice, %loop ]
  %next = add i64 %i, 1
  %narrow.next = add nsw nuw i32 %narrow, 2
  %at.next = getelementptr float, ptr addrspace(1) %at, i64 %n
  %twice = shl i64 %doubled, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop
end:
  %last = phi i64 [ %next, %loop ]
  ret i64 %last
}

; The step is that of each path through the loop.
; CHECK-LABEL: index expressions of paths
; CHECK: %i, step 3 : {{.*}}%i =
; CHECK: %j : {{.*}}%j =
define void @paths(i1 %c, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ %n, %entry ], [ %a, %one ], [ %b, %other ]
  %j = phi i64 [ %n, %entry ], [ %a, %one ], [ %n, %other ]
  br i1 %c, label %one, label %other
one:
  %a = add i64 %i, 3
  br label %loop
other:
  %b1 = add i64 %i, 1
  %b = add i64 %b1, 2
  br label %loop
}
