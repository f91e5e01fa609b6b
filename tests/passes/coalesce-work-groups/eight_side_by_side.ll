; RUN: lockstep-opt -passes='coalesce-work-groups' %s | FileCheck %s
; Eight groups whose rows lie beside each other in what they load and what they store; four, where they store other rows.

; CHECK-LABEL: @rows(
; CHECK-SAME: #[[ROWS:[0-9]+]]
define void @rows(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %pitch) #0 {
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %first = call i64 @__lockstep_group_id(i32 0)
  %left = mul i64 %first, 16
  %column = add i64 %left, %x
  %line = mul i64 %y, %pitch
  %index = add i64 %line, %column
  %from = getelementptr float, ptr addrspace(1) %a, i64 %index
  %value = load float, ptr addrspace(1) %from
  %to = getelementptr float, ptr addrspace(1) %b, i64 %index
  store float %value, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: @turned(
; CHECK-SAME: #[[TURNED:[0-9]+]]
define void @turned(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %pitch) #0 {
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %first = call i64 @__lockstep_group_id(i32 0)
  %left = mul i64 %first, 16
  %column = add i64 %left, %x
  %line = mul i64 %y, %pitch
  %index = add i64 %line, %column
  %from = getelementptr float, ptr addrspace(1) %a, i64 %index
  %value = load float, ptr addrspace(1) %from
  %other.line = mul i64 %left, %pitch
  %other.index = add i64 %other.line, %x
  %to = getelementptr float, ptr addrspace(1) %b, i64 %other.index
  store float %value, ptr addrspace(1) %to
  ret void
}

; Behind a guard that differs, rows are not accessed together, so narrow ones gain nothing.
; CHECK-LABEL: @guarded(
; CHECK-NOT: %group.id
; CHECK: ret void
define void @guarded(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %pitch) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %first = call i64 @__lockstep_group_id(i32 0)
  %left = mul i64 %first, 16
  %column = add i64 %left, %x
  %inside = icmp ult i64 %column, %pitch
  br i1 %inside, label %then, label %end
then:
  %line = mul i64 %y, %pitch
  %index = add i64 %line, %column
  %from = getelementptr float, ptr addrspace(1) %a, i64 %index
  %value = load float, ptr addrspace(1) %from
  %to = getelementptr float, ptr addrspace(1) %b, i64 %index
  store float %value, ptr addrspace(1) %to
  br label %end
end:
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)

; CHECK-DAG: attributes #[[ROWS]] = {{.*}}"lockstep-coalesced-groups"="0,8,2"
; CHECK-DAG: attributes #[[TURNED]] = {{.*}}"lockstep-coalesced-groups"="0,4,2"
attributes #0 = { "lockstep-local-size"="16,4,1" "lockstep-neighbor-groups"="16,1,1" "lockstep-sub-group-size"="16" }
