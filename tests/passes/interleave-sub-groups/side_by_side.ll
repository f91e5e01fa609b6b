; RUN: lockstep-opt -passes='interleave-sub-groups' %s | FileCheck %s
; Straight code of work-groups side by side: their rows become one.

; CHECK-LABEL: @kernel
; CHECK-COUNT-4: load <16 x float>
; CHECK-NOT: load <16 x float>
; CHECK-COUNT-4: store <16 x float>
; CHECK-NOT: store <16 x float>
; CHECK: ret void
define void @kernel(ptr addrspace(1) %a, ptr addrspace(1) %b) #0 {
entry:
  %row = call i64 @__lockstep_local_id(i32 1)
  %group = call i64 @__lockstep_local_id(i32 2)
  %from = getelementptr [64 x <16 x float>], ptr addrspace(1) %a, i64 %row, i64 %group
  %value = load <16 x float>, ptr addrspace(1) %from
  %to = getelementptr [64 x <16 x float>], ptr addrspace(1) %b, i64 %row, i64 %group
  store <16 x float> %value, ptr addrspace(1) %to
  ret void
}

; The same of groups that are joined for another reason.
; CHECK-LABEL: @above_each_other
; CHECK: load <16 x float>
; CHECK-NOT: load <16 x float>
; CHECK: ret void
define void @above_each_other(ptr addrspace(1) %a, ptr addrspace(1) %b) #1 {
entry:
  %row = call i64 @__lockstep_local_id(i32 1)
  %group = call i64 @__lockstep_local_id(i32 2)
  %from = getelementptr [64 x <16 x float>], ptr addrspace(1) %a, i64 %row, i64 %group
  %value = load <16 x float>, ptr addrspace(1) %from
  %to = getelementptr [64 x <16 x float>], ptr addrspace(1) %b, i64 %row, i64 %group
  store <16 x float> %value, ptr addrspace(1) %to
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)

; CHECK: attributes #0 = {{.*}}"lockstep-interleave"="2,4"
attributes #0 = { "lockstep-coalesced-groups"="0,4,2" "lockstep-local-size"="16,4,4" "lockstep-sub-group-size"="16" }
attributes #1 = { "lockstep-coalesced-groups"="2,4,2" "lockstep-local-size"="16,4,4" "lockstep-sub-group-size"="16" }
