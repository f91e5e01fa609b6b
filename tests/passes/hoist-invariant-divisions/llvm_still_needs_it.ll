; RUN: opt -S -mtriple=x86_64-linux -mcpu=x86-64-v3 -passes=loop-vectorize -force-vector-width=4 -force-vector-interleave=1 %s | FileCheck %s
; LLVM without the pass: all four lanes load from the place that the division of lane 0 gives, which is poison where lane 0
; does not come to it. A failure here means that LLVM no longer needs hoist-invariant-divisions.
;
; For a report upstream (none was found): loop-vectorize divides for each lane under its mask, as it must, but takes the
; address, which is computed from two invariants, for uniform and computes it from the result of lane 0 alone.

; CHECK: vector.body:
; CHECK: pred.udiv.continue:
; CHECK-NEXT: [[FIRST:%.*]] = phi i32 [ poison, %vector.body ]
; CHECK: [[WIDE:%.*]] = zext i32 [[FIRST]] to i64
; CHECK: [[PLACE:%.*]] = getelementptr i32, ptr %table, i64 [[WIDE]]
; CHECK: extractelement <4 x i1> {{.*}}, i32 1
; CHECK: load i32, ptr [[PLACE]]
define i32 @kernel(ptr %table, i32 %divisor, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %sum = phi i32 [ 0, %entry ], [ %sum.next, %latch ]
  %low = and i32 %i, 3
  %wanted = icmp ne i32 %low, 0
  br i1 %wanted, label %guarded, label %latch
guarded:
  %quotient = udiv i32 32768, %divisor
  %wide = zext i32 %quotient to i64
  %place = getelementptr i32, ptr %table, i64 %wide
  %value = load i32, ptr %place
  br label %latch
latch:
  %more = phi i32 [ 0, %loop ], [ %value, %guarded ]
  %sum.next = add i32 %sum, %more
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret i32 %sum.next
}
