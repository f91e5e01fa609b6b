; RUN: lockstep-opt -quiet '-passes=print<work-group-uniformity>' %s | FileCheck %s
; Work-items leave the loop by two edges; some by one, some by the other. What merges the edges is divergent, although
; both values are constants.

; CHECK: divergent {{.*}}br i1 %some
; CHECK: uniform {{.*}}br i1 %again
; CHECK: divergent {{.*}}%which = phi i32 [ 1, %head ], [ 2, %latch ]
define i32 @kernel(i32 %n) {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %some = icmp eq i64 %id, 3
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  br i1 %some, label %end, label %latch
latch:
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %head, label %end
end:
  %which = phi i32 [ 1, %head ], [ 2, %latch ]
  ret i32 %which
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
