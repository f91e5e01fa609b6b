; RUN: env LOCKSTEP_SUB_GROUP_SIZE=16 lockstep-opt -passes=choose-sub-group-size --local-size=3,2,1 %s | FileCheck %s
; A kernel that can see the size has the same one for every local size.

; CHECK: "lockstep-sub-group-size"="16"
define i32 @kernel() {
  %width = call i32 @__lockstep_sub_group_width()
  ret i32 %width
}

declare i32 @__lockstep_sub_group_width() nounwind willreturn memory(none)
