; RUN: lockstep-opt -passes=answer-sub-group-queries %s | FileCheck %s
; A work-item alone is all of its sub-group: each operation gives its own argument, an exclusive scan the identity.

; CHECK-LABEL: @kernel
; CHECK: zext i1 %c to i64
; CHECK: fence acq_rel
; CHECK: %a = add i32 %x, %x
; CHECK: %b = add i32 %a, -2147483648
; CHECK: %d = add i32 %b, 1
; CHECK-NOT: call {{.*}}@__lockstep
define i32 @kernel(i32 %x, i1 %c) "lockstep-sub-group-size"="1" {
  %bit = call i64 @__lockstep_sub_group_ballot(i1 %c)
  %sum = call i32 @__lockstep_sub_group_reduce_i32(i32 0, i32 0, i32 %x)
  %other = call i32 @__lockstep_sub_group_shuffle_i32(i32 %x, i32 5)
  %before = call i32 @__lockstep_sub_group_scan_i32(i32 3, i32 1, i32 %x)
  %width = call i32 @__lockstep_sub_group_width()
  call void @__lockstep_sub_group_barrier()
  %a = add i32 %sum, %other
  %b = add i32 %a, %before
  %d = add i32 %b, %width
  ret i32 %d
}

declare i64 @__lockstep_sub_group_ballot(i1) convergent nomerge nounwind willreturn memory(none)
declare i32 @__lockstep_sub_group_reduce_i32(i32, i32, i32) convergent nomerge nounwind willreturn memory(none)
declare i32 @__lockstep_sub_group_shuffle_i32(i32, i32) convergent nomerge nounwind willreturn memory(none)
declare i32 @__lockstep_sub_group_scan_i32(i32, i32, i32) convergent nomerge nounwind willreturn memory(none)
declare i32 @__lockstep_sub_group_width() nounwind willreturn memory(none)
declare void @__lockstep_sub_group_barrier() convergent nomerge nounwind
