; RUN: lockstep-opt -passes=drop-noalias %s | FileCheck %s

; No call that work-items reach together, but one that moves no memory.
; CHECK-LABEL: @alone(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %b)
define void @alone(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %b) {
  %value = load i32, ptr addrspace(1) %a
  %votes = call i64 @__lockstep_sub_group_ballot(i1 true) #0
  store i32 %value, ptr addrspace(1) %b
  store i32 1, ptr addrspace(1) %a
  ret void
}

declare i64 @__lockstep_sub_group_ballot(i1) #0
attributes #0 = { convergent nomerge nounwind memory(none) }
