; RUN: lockstep-opt -passes=hide-low-masks %s | FileCheck %s
; A counter masked to its low bits would be taken for one of two bits. Other masks, and code outside loops, stay.

; CHECK-LABEL: @kernel
; CHECK: and i32 %n, 7
; CHECK: loop:
; CHECK: [[UP:%.*]] = shl i32 %i, 30
; CHECK: [[LOW:%low.*]] = lshr i32 [[UP]], 30
; CHECK: add i32 %outside, [[LOW]]
; CHECK: %high = and i32 %i, -4
define void @kernel(ptr %a, ptr %b, i32 %n) {
entry:
  %outside = and i32 %n, 7
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %low = and i32 %i, 3
  %index = add i32 %outside, %low
  %high = and i32 %i, -4
  %wide = zext i32 %index to i64
  %from = getelementptr i32, ptr %a, i64 %wide
  %value = load i32, ptr %from
  %sum = add i32 %value, %high
  %other = zext i32 %i to i64
  %to = getelementptr i32, ptr %b, i64 %other
  store i32 %sum, ptr %to
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
