; RUN: lockstep-opt -quiet '-passes=lane-ids,print<sub-group-uniformity>' --local-size=32,4,2 %s | FileCheck %s
; With 16 lanes and rows of 32 a sub-group stays in its row: only the first id differs between its lanes.

; CHECK: divergent {{.*}}%local.id = add
; CHECK: divergent {{.*}}%xy =
; CHECK: uniform {{.*}}%yz =
define i64 @kernel() "lockstep-sub-group-size"="16" {
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %z = call i64 @__lockstep_local_id(i32 2)
  %xy = add i64 %x, %y
  %yz = add i64 %y, %z
  %r = add i64 %xy, %yz
  ret i64 %r
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
