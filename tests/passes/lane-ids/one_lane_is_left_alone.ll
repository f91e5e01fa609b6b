; RUN: lockstep-opt -passes=lane-ids %s | FileCheck %s
; CHECK-NOT: __lockstep_lane
define i64 @kernel() {
  %x = call i64 @__lockstep_local_id(i32 0)
  ret i64 %x
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
