; RUN: lockstep-opt -passes=lane-ids %s | FileCheck %s
; Without a known size ids come from the linear id, by a division of floats: vectors of integers have none.

; CHECK: %linear.id = add nuw i64
; CHECK: fdiv float
; CHECK: fptoui float
; CHECK-NOT: udiv
define i64 @kernel() "lockstep-sub-group-size"="16" {
  %x = call i64 @__lockstep_local_id(i32 0)
  ret i64 %x
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
