; RUN: lockstep-opt -passes='coalesce-work-groups' %s | FileCheck %s
; Groups of one row each load the same panel in their loops: four of them become the rows of one group. Each still has
; the group id that it had, and its local id in the joined dimension is 0.

; CHECK-LABEL: @kernel
; CHECK: %group.number = call range(i64 0, 4) i64 @__lockstep_local_id(i32 1)
; CHECK: %first = call i64 @__lockstep_group_id(i32 1)
; CHECK-NEXT: %group.id = add nuw i64 %first, %group.number
; CHECK-NOT: __lockstep_local_id(i32 1)
; CHECK: mul i64 %group.id, 1024
; CHECK: %in.row = add i64 %x, 0
; CHECK-NOT: __lockstep_active_lanes
; CHECK: add i64 %k, 16
; CHECK: attributes #0 = {{.*}}"lockstep-coalesced-groups"="1,4,1" "lockstep-local-size"="64,4,1"
define void @kernel(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %first = call i64 @__lockstep_group_id(i32 1)
  %row = mul i64 %first, 1024
  %in.row = add i64 %x, %y
  %width = call i64 @__lockstep_active_lanes()
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %a.index = add i64 %row, %k
  %a.at = getelementptr float, ptr addrspace(1) %a, i64 %a.index
  %a.value = load float, ptr addrspace(1) %a.at
  %b.row = getelementptr [64 x float], ptr addrspace(1) %b, i64 %k
  %b.at = getelementptr float, ptr addrspace(1) %b.row, i64 %in.row
  %b.value = load float, ptr addrspace(1) %b.at
  %product = fmul float %a.value, %b.value
  %sum.next = fadd float %sum, %product
  %k.next = add i64 %k, %width
  %more = icmp ult i64 %k.next, 1024
  br i1 %more, label %loop, label %end
end:
  %c.index = add i64 %row, %in.row
  %c.at = getelementptr float, ptr addrspace(1) %c, i64 %c.index
  store float %sum.next, ptr addrspace(1) %c.at
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_active_lanes() nounwind willreturn memory(none)

attributes #0 = { "lockstep-local-size"="64,1,1" "lockstep-neighbor-groups"="1,4,1" "lockstep-sub-group-size"="16" }
