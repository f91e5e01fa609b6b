; RUN: lockstep-opt -passes=make-reducible %s | FileCheck %s

; All work-items count down together, on different paths: the counter has one phi in the dispatch block, which its two phis in
; the entries and its use behind the operation refer to.
; CHECK-LABEL: @kernel
; CHECK: first:
; CHECK-NEXT: %thrice = mul i32 [[R:%.*]], 3
; CHECK: dispatch:
; CHECK-NEXT: [[R]] = phi i32 [ %id, %entry ], [ %r.after, %second ]
; CHECK-NEXT: [[LEFT:%.*]] = phi i32 [ %n, %entry ], [ %less, %second ]
; CHECK: second:
; CHECK-NEXT: phi i32
; CHECK-NOT: phi i32
; CHECK: %less = add i32 [[LEFT]], -1
declare i32 @__lockstep_sub_group_reduce_i32(i32, i32, i32) convergent
declare i64 @__lockstep_local_id(i32)
define void @kernel(ptr addrspace(1) %out, i32 %n) convergent {
entry:
  %wide = call i64 @__lockstep_local_id(i32 0)
  %id = trunc i64 %wide to i32
  %bit = and i32 %id, 1
  %odd = icmp ne i32 %bit, 0
  br i1 %odd, label %second, label %first
first:
  %r.first = phi i32 [ %id, %entry ], [ %r.after, %turn ]
  %n.first = phi i32 [ %n, %entry ], [ %less, %turn ]
  %thrice = mul i32 %r.first, 3
  br label %second
second:
  %r = phi i32 [ %id, %entry ], [ %thrice, %first ], [ %r.after, %turn ]
  %left = phi i32 [ %n, %entry ], [ %n.first, %first ], [ %less, %turn ]
  %sum = call i32 @__lockstep_sub_group_reduce_i32(i32 0, i32 0, i32 %r)
  %r.after = xor i32 %r, %sum
  %less = add i32 %left, -1
  %is.last = icmp eq i32 %less, 0
  br i1 %is.last, label %end, label %turn
turn:
  %four = and i32 %r.after, 4
  %none = icmp eq i32 %four, 0
  br i1 %none, label %first, label %second
end:
  store i32 %r.after, ptr addrspace(1) %out
  ret void
}
