; RUN: lockstep-opt -passes='coalesce-work-groups' %s | FileCheck %s
; A local pointer argument that all groups fill with the same stays one. One whose values differ has a copy for each group,
; at a distance that is known at launch.

; CHECK-LABEL: @kernel
; CHECK: [[BYTES:%[0-9]+]] = call i64 @__lockstep_local_argument_bytes()
; CHECK: [[OFFSET:%[0-9]+]] = mul nuw i64 %group.number, [[BYTES]]
; CHECK: %row.of.group = getelementptr inbounds i8, ptr addrspace(3) %row, i64 [[OFFSET]]
; CHECK: getelementptr float, ptr addrspace(3) %panel, i64 %x
; CHECK: store float %a.value, ptr addrspace(3) %row.of.group
define void @kernel(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(3) %panel, ptr addrspace(3) %row) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 1)
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %b.at = getelementptr [64 x float], ptr addrspace(1) %b, i64 %k, i64 %x
  %b.value = load float, ptr addrspace(1) %b.at
  %panel.at = getelementptr float, ptr addrspace(3) %panel, i64 %x
  store float %b.value, ptr addrspace(3) %panel.at
  %a.at = getelementptr [64 x float], ptr addrspace(1) %a, i64 %group, i64 %k
  %a.value = load float, ptr addrspace(1) %a.at
  store float %a.value, ptr addrspace(3) %row
  call void @__lockstep_barrier(i32 1)
  %k.next = add i64 %k, 1
  %end = icmp eq i64 %k.next, 100
  br i1 %end, label %done, label %loop
done:
  ret void
}

declare void @__lockstep_barrier(i32) convergent nounwind
declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)

attributes #0 = { "lockstep-local-size"="64,1,1" "lockstep-neighbor-groups"="1,4,1" "lockstep-sub-group-size"="16" }
