; RUN: lockstep-opt -passes=pin-convergent-calls %s | FileCheck %s
; RUN: lockstep-opt -passes=pin-convergent-calls %s | opt -S -passes='loop-mssa(simple-loop-unswitch<nontrivial>)' | FileCheck %s --check-prefix=AFTER
; All lanes come to the operation before those that leave do, whatever moves.

; CHECK: call i64 @__lockstep_sub_group_ballot(i1 %lowest) #[[CALL:[0-9]+]]
; CHECK: declare i64 @__lockstep_sub_group_ballot(i1) #[[HELD:[0-9]+]]
; CHECK: attributes #[[HELD]] = { convergent nounwind willreturn memory(inaccessiblemem: readwrite) "lockstep-pinned" "lockstep-primitive"="{{[0-9]+}}" }
; CHECK: attributes #[[CALL]] = { convergent nomerge nounwind }
; AFTER: entry:
; AFTER-NOT: br i1
; AFTER: call i64 @__lockstep_sub_group_ballot
; AFTER: br i1 %leaves
define void @kernel(ptr %p, i1 %leaves, i1 %lowest, i32 %bound) {
entry:
  br label %loop
loop:
  %count = phi i32 [ 0, %entry ], [ %next, %latch ]
  %ballot = call i64 @__lockstep_sub_group_ballot(i1 %lowest) #1
  br i1 %leaves, label %end, label %latch
latch:
  store i64 %ballot, ptr %p
  %next = add i32 %count, 1
  %again = icmp ult i32 %next, %bound
  br i1 %again, label %loop, label %end
end:
  ret void
}

declare i64 @__lockstep_sub_group_ballot(i1) #0

attributes #0 = { convergent nounwind willreturn memory(none) }
attributes #1 = { convergent nomerge nounwind memory(none) }
