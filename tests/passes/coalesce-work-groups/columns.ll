; RUN: lockstep-opt -passes=coalesce-work-groups %s | FileCheck %s
; A transpose by groups of one row: sixteen of them write the elements of a cache line. A copy gains nothing, and a loop that
; loads the same in all groups takes eight.

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

; CHECK-LABEL: @columns_by_loops
; CHECK-SAME: #[[LOOPS:[0-9]+]]
define void @columns_by_loops(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_group_id(i32 1)
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %row = mul i64 %k, %n
  %index = add i64 %row, %x
  %at = getelementptr float, ptr addrspace(1) %a, i64 %index
  %value = load float, ptr addrspace(1) %at
  %sum.next = fadd float %sum, %value
  %k.next = add i64 %k, 1
  %again = icmp ult i64 %k.next, %n
  br i1 %again, label %loop, label %end
end:
  %column = mul i64 %x, %n
  %to.index = add i64 %column, %y
  %to = getelementptr float, ptr addrspace(1) %b, i64 %to.index
  store float %sum.next, ptr addrspace(1) %to
  ret void
}

; CHECK-DAG: attributes #[[TRANSPOSE]] = {{.*}}"lockstep-coalesced-groups"="1,16,1"
; CHECK-DAG: attributes #[[LOOPS]] = {{.*}}"lockstep-coalesced-groups"="1,8,1"
; CHECK-NOT: attributes #[[COPY]] = {{.*}}"lockstep-coalesced-groups"
declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)
attributes #0 = { "lockstep-local-size"="64,1,1" "lockstep-neighbor-groups"="1,16,1" "lockstep-sub-group-size"="16" }
