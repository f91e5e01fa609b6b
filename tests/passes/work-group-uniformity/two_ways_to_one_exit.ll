; RUN: lockstep-opt -quiet '-passes=print<work-group-uniformity>' %s | FileCheck %s
; Work-item 2 leaves in the first round and the others in the second, by branches that are uniform among those that come
; to them. The count they leave with differs.

; CHECK: uniform {{.*}}%count = phi
; CHECK: divergent {{.*}}br i1 %some
; CHECK: uniform {{.*}}br i1 %goes_on
; CHECK: divergent {{.*}}%last = phi i32 [ %next, %left ], [ %next, %right ]
; CHECK: divergent {{.*}}%user = add i32 %last, 1
define i32 @kernel(i1 %goes_on) {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %some = icmp eq i64 %id, 2
  br label %head
head:
  %count = phi i32 [ 0, %entry ], [ %next, %again ]
  %next = add i32 %count, 1
  br i1 %some, label %left, label %right
left:
  br i1 %goes_on, label %again, label %end
right:
  %few = icmp ult i32 %next, 2
  br i1 %few, label %again, label %end
again:
  br label %head
end:
  %last = phi i32 [ %next, %left ], [ %next, %right ]
  %user = add i32 %last, 1
  ret i32 %user
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
