; RUN: lockstep-opt -passes='coalesce-work-groups' %s | FileCheck %s
; Groups whose rows may be beyond the end: only some of them load and store there. A local variable that only some groups
; store to has a copy for each group, also if they store the same.

; CHECK-DAG: @panel = internal addrspace(3) global [64 x float] undef, align 4
; CHECK-DAG: @some.of.groups = internal addrspace(3) global [1024 x i8] undef, align 4
@panel = internal addrspace(3) global [64 x float] undef, align 4
@some = internal addrspace(3) global [64 x float] undef, align 4

; CHECK-LABEL: @kernel
; CHECK: %group.id = add nuw i64 %group, %group.number
define void @kernel(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 1)
  %inside = icmp ult i64 %group, %n
  %panel.at = getelementptr float, ptr addrspace(3) @panel, i64 %x
  %some.at = getelementptr float, ptr addrspace(3) @some, i64 %x
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %on ]
  %from = getelementptr [64 x float], ptr addrspace(1) %a, i64 %k, i64 %x
  %value = load float, ptr addrspace(1) %from
  store float %value, ptr addrspace(3) %panel.at
  br i1 %inside, label %then, label %on
then:
  store float %value, ptr addrspace(3) %some.at
  br label %on
on:
  call void @__lockstep_barrier(i32 1)
  %one = load float, ptr addrspace(3) @panel
  %other = load float, ptr addrspace(3) @some
  call void @__lockstep_barrier(i32 1)
  %sum = fadd float %one, %other
  %to = getelementptr [64 x float], ptr addrspace(1) %b, i64 %group, i64 %x
  store float %sum, ptr addrspace(1) %to
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, 64
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Which group comes first decides about the way.
; CHECK-LABEL: @atomic_result
; CHECK: %group.id = add nuw i64 %group, %group.number
define void @atomic_result(ptr addrspace(1) %a, ptr addrspace(1) %b) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 1)
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %on ]
  %from = getelementptr [64 x float], ptr addrspace(1) %a, i64 %k, i64 %x
  %value = load float, ptr addrspace(1) %from
  %to = getelementptr [64 x float], ptr addrspace(1) %b, i64 %group, i64 %x
  store float %value, ptr addrspace(1) %to
  %old = atomicrmw add ptr addrspace(1) %a, i32 1 monotonic
  %first = icmp eq i32 %old, 0
  br i1 %first, label %then, label %on
then:
  store float 1.0, ptr addrspace(1) %to
  br label %on
on:
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, 64
  br i1 %more, label %loop, label %end
end:
  ret void
}

declare void @__lockstep_barrier(i32) convergent nounwind
declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)

attributes #0 = { "lockstep-local-size"="64,1,1" "lockstep-neighbor-groups"="1,4,1" "lockstep-sub-group-size"="16" }
