; RUN: opt -S -passes=loop-vectorize -force-vector-width=8 -force-vector-interleave=1 %s | FileCheck %s
; LLVM without the pass: eight elements from a[base] on, though only the first four exist. A failure here means that LLVM
; no longer needs hide-low-masks. Upstream: llvm/llvm-project#156849 (of the same cause, with a multiplied counter).

; CHECK: vector.body:
; CHECK: [[LOW:%.*]] = and i32 %index{{[0-9]*}}, 3
; CHECK: add i32 %base, [[LOW]]
; CHECK: load <8 x i32>
define void @kernel(ptr noalias %a, ptr noalias %b, i32 %base, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %low = and i32 %i, 3
  %index = add i32 %base, %low
  %wide = zext i32 %index to i64
  %from = getelementptr i32, ptr %a, i64 %wide
  %value = load i32, ptr %from
  %other = zext i32 %i to i64
  %to = getelementptr i32, ptr %b, i64 %other
  store i32 %value, ptr %to
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
