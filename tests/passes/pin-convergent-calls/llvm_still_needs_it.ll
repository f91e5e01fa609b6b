; RUN: opt -S -passes='loop-mssa(simple-loop-unswitch<nontrivial>)' %s | FileCheck %s
; LLVM without the pass: the branch stands before the loop, and lanes that leave never come to the convergent call. A
; failure here means that LLVM no longer needs pin-convergent-calls. Upstream: llvm/llvm-project#207047.

; CHECK: entry:
; CHECK-NEXT: br i1 %leaves
; CHECK: call i64 @ballot
define void @kernel(ptr %p, i1 %leaves, i1 %lowest, i32 %bound) {
entry:
  br label %loop
loop:
  %count = phi i32 [ 0, %entry ], [ %next, %latch ]
  %ballot = call i64 @ballot(i1 %lowest) #1
  br i1 %leaves, label %end, label %latch
latch:
  store i64 %ballot, ptr %p
  %next = add i32 %count, 1
  %again = icmp ult i32 %next, %bound
  br i1 %again, label %loop, label %end
end:
  ret void
}

declare i64 @ballot(i1) #0

attributes #0 = { convergent nounwind willreturn memory(none) }
attributes #1 = { convergent nomerge nounwind memory(none) }
