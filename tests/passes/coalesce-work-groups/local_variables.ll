; RUN: lockstep-opt -passes='coalesce-work-groups' %s | FileCheck %s
; A local variable that all groups fill with the same stays one. One whose values differ, one that is filled from such
; a variable, and one whose address goes elsewhere have a copy for each group.

; CHECK-DAG: @panel = internal addrspace(3) global [64 x float] undef, align 4
; CHECK-DAG: @row.of.groups = internal addrspace(3) global [512 x i8] undef, align 64
; CHECK-DAG: @from.row.of.groups = internal addrspace(3) global [1024 x i8] undef, align 4
; CHECK-DAG: @elsewhere.of.groups = internal addrspace(3) global [64 x i8] undef, align 16
; CHECK-NOT: addrspace(3) global
@panel = internal addrspace(3) global [64 x float] undef, align 4
@row = internal addrspace(3) global [17 x float] undef, align 64
@from.row = internal addrspace(3) global [64 x float] undef, align 4
@elsewhere = internal addrspace(3) global i32 undef, align 16

; CHECK-LABEL: @kernel
; CHECK-DAG: mul nuw i64 %group.number, 128
; CHECK-DAG: mul nuw i64 %group.number, 256
; CHECK-DAG: mul nuw i64 %group.number, 16
; CHECK: getelementptr float, ptr addrspace(3) @panel, i64 %x
; CHECK: call void @use(ptr addrspace(3) %elsewhere.of.group)
define void @kernel(ptr addrspace(1) %a, ptr addrspace(1) %b) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 1)
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %b.at = getelementptr [64 x float], ptr addrspace(1) %b, i64 %k, i64 %x
  %b.value = load float, ptr addrspace(1) %b.at
  %panel.at = getelementptr float, ptr addrspace(3) @panel, i64 %x
  store float %b.value, ptr addrspace(3) %panel.at
  %a.at = getelementptr [64 x float], ptr addrspace(1) %a, i64 %group, i64 %k
  %a.value = load float, ptr addrspace(1) %a.at
  store float %a.value, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @row, i64 8)
  call void @__lockstep_barrier(i32 1)
  %row.value = load float, ptr addrspace(3) @row
  %from.row.at = getelementptr float, ptr addrspace(3) @from.row, i64 %x
  store float %row.value, ptr addrspace(3) %from.row.at
  call void @use(ptr addrspace(3) @elsewhere)
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, 64
  br i1 %more, label %loop, label %end
end:
  ret void
}

declare void @use(ptr addrspace(3))
declare void @__lockstep_barrier(i32) convergent nounwind
declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)

attributes #0 = { "lockstep-local-size"="64,1,1" "lockstep-neighbor-groups"="1,4,1" "lockstep-sub-group-size"="16" }
