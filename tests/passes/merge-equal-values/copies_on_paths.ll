; RUN: lockstep-opt -passes=merge-equal-values %s | FileCheck %s
; RUN: lockstep-opt -passes='merge-equal-values,print<work-group-uniformity>' %s | FileCheck %s --check-prefix=SAME
; Each path to a join computes the same expression, as LLVM's GVN leaves it: the join computes it.

; A loop counter whose next value the leader needs before the join.
; CHECK-LABEL: @counter
; CHECK: join:
; CHECK-NEXT: [[NEXT:%.*]] = add i32 %t, 1
; CHECK-NEXT: call void @__lockstep_barrier
; CHECK-NEXT: icmp eq i32 [[NEXT]], %n
; SAME-LABEL: uniformity in the work-group of counter
; SAME: divergent  br i1 %leader
; SAME: uniform    br i1 %done
define void @counter(ptr addrspace(1) %p, i32 %n) {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %leader = icmp eq i64 %id, 0
  br label %loop
loop:
  %t = phi i32 [ 0, %entry ], [ %next, %join ]
  br i1 %leader, label %then, label %else
then:
  %one = add nuw i32 %t, 1
  %goal = mul i32 %one, %n
  store i32 %goal, ptr addrspace(1) %p
  br label %join
else:
  %other = add i32 %t, 1
  br label %join
join:
  %next = phi i32 [ %one, %then ], [ %other, %else ]
  call void @__lockstep_barrier(i32 1)
  %done = icmp eq i32 %next, %n
  br i1 %done, label %end, label %loop
end:
  ret void
}

; Operands are equal expressions, too, and are copied before their users.
; CHECK-LABEL: @nested
; CHECK: join:
; CHECK-NEXT: [[SUM:%.*]] = add i32 %a, 1
; CHECK-NEXT: [[WIDE:%.*]] = zext i32 [[SUM]] to i64
; CHECK-NEXT: ret i64 [[WIDE]]
define i64 @nested(i32 %a, i1 %c) {
entry:
  br i1 %c, label %one, label %two
one:
  %x = add i32 %a, 1
  %wide.x = zext i32 %x to i64
  br label %join
two:
  %y = add i32 %a, 1
  %wide.y = zext i32 %y to i64
  br label %join
join:
  %wide = phi i64 [ %wide.x, %one ], [ %wide.y, %two ]
  ret i64 %wide
}

declare i64 @__lockstep_local_id(i32)
declare void @__lockstep_barrier(i32) convergent
