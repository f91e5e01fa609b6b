; RUN: lockstep-opt -passes=coalesce-work-groups %s | FileCheck %s
; A transpose by groups of one row: eight of them write eight elements that follow each other. A copy gains nothing.

; CHECK-LABEL: @transpose
; CHECK-SAME: #[[TRANSPOSE:[0-9]+]]
define void @transpose(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n) #0 {
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_group_id(i32 1)
  %row = mul i64 %y, %n
  %index = add i64 %row, %x
  %at = getelementptr float, ptr addrspace(1) %a, i64 %index
  %value = load float, ptr addrspace(1) %at
  %column = mul i64 %x, %n
  %to.index = add i64 %column, %y
  %to = getelementptr float, ptr addrspace(1) %b, i64 %to.index
  store float %value, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: @copy
; CHECK-SAME: #[[COPY:[0-9]+]]
define void @copy(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n) #0 {
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_group_id(i32 1)
  %row = mul i64 %y, %n
  %index = add i64 %row, %x
  %at = getelementptr float, ptr addrspace(1) %a, i64 %index
  %value = load float, ptr addrspace(1) %at
  %to = getelementptr float, ptr addrspace(1) %b, i64 %index
  store float %value, ptr addrspace(1) %to
  ret void
}

; CHECK-DAG: attributes #[[TRANSPOSE]] = {{.*}}"lockstep-coalesced-groups"="1,8,1"
; CHECK-NOT: attributes #[[COPY]] = {{.*}}"lockstep-coalesced-groups"
declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)
attributes #0 = { "lockstep-local-size"="64,1,1" "lockstep-neighbor-groups"="1,8,1" "lockstep-sub-group-size"="16" }
