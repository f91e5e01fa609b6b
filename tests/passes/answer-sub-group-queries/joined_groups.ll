; RUN: lockstep-opt -passes=answer-sub-group-queries %s | FileCheck %s
; Which of the joined groups it is in says nothing about a sub-group's number in its own group.

; CHECK-NOT: @__lockstep_local_id(i32 1)
; CHECK: [[X:%.*]] = call i64 @__lockstep_local_id(i32 0)
; CHECK-NEXT: lshr i64 [[X]], 4
; CHECK-NOT: call i64 @__lockstep_local_id(i32 1)
; CHECK: ret i32 %sub.group.id
define i32 @kernel() #0 {
  %id = call i32 @__lockstep_sub_group_id()
  ret i32 %id
}

declare i32 @__lockstep_sub_group_id() nounwind willreturn memory(none)

attributes #0 = { "lockstep-coalesced-groups"="1,8,1" "lockstep-local-size"="64,8,1" "lockstep-sub-group-size"="16" }
