; RUN: lockstep-opt -quiet '-passes=print<lane-shapes>' %s | FileCheck %s
; An induction variable that starts at the lane's id keeps its distances; one that a lane may keep (by a select) varies,
; also where the select is all that feeds it.

; CHECK: offsets 0 1 2 3 : {{.*}}%i = phi
; CHECK: varying : {{.*}}%kept = phi
define i64 @kernel(i64 %n) "lockstep-sub-group-size"="4" {
entry:
  %lane = call i64 @__lockstep_lane()
  %first = call i64 @__lockstep_local_id(i32 0)
  %id = add i64 %first, %lane
  br label %loop
loop:
  %i = phi i64 [ %id, %entry ], [ %next, %loop ]
  %kept = phi i64 [ poison, %entry ], [ %blend, %loop ]
  %next = add i64 %i, 64
  %leaves = icmp ugt i64 %next, %n
  %blend = select i1 %leaves, i64 %n, i64 %kept
  %any = call i1 @__lockstep_any_lane(i1 %leaves)
  br i1 %any, label %end, label %loop
end:
  ret i64 %kept
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare i1 @__lockstep_any_lane(i1) convergent nounwind willreturn memory(none)
