; RUN: lockstep-opt -passes='coalesce-work-groups' %s | FileCheck %s
; Groups leave at the entry, and the others have barriers. If some leave, they run with the ids of one that stays, and store
; nothing to global memory.

; CHECK-LABEL: @kernel
; CHECK: %stays = icmp ult i64 %group.id, %n
; CHECK: br i1 %all.stay{{[0-9]+}}, label %body, label %some.groups.leave
; CHECK: body:
; CHECK: store float %sum.next, ptr addrspace(1) %c.at
; CHECK: some.groups.leave:
; CHECK: %group.number.of.ids = select i1 %stays, i64 %group.number, i64 %{{[0-9]+}}
; CHECK: [[OTHER:%group.id[0-9]+]] = add nuw i64 %group, %group.number.of.ids
; CHECK: [[ROW:%a.row[0-9]+]] = mul i64 [[OTHER]], 100
; CHECK: br i1 %any.stays{{[0-9]+}}, label %body.some, label %end
; CHECK: loop.some:
; CHECK: getelementptr [100 x float], ptr addrspace(1) %a, i64 [[ROW]]
; CHECK: store float %a.value.some, ptr addrspace(3) %row.of.group
; CHECK: call void @__lockstep_barrier
; CHECK: br i1 %stays,
; CHECK: store float %sum.next.some, ptr addrspace(1) %c.at.some
@row = internal addrspace(3) global [64 x float] undef, align 4

define void @kernel(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i64 %n) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 1)
  %a.row = mul i64 %group, 100
  %stays = icmp ult i64 %group, %n
  br i1 %stays, label %body, label %end
body:
  %c.at = getelementptr [64 x float], ptr addrspace(1) %c, i64 %a.row, i64 %x
  br label %loop
loop:
  %k = phi i64 [ 0, %body ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %body ], [ %sum.next, %loop ]
  %a.at = getelementptr [100 x float], ptr addrspace(1) %a, i64 %a.row, i64 %k
  %a.value = load float, ptr addrspace(1) %a.at
  store float %a.value, ptr addrspace(3) @row
  call void @__lockstep_barrier(i32 1)
  %row.value = load float, ptr addrspace(3) @row
  %b.at = getelementptr [64 x float], ptr addrspace(1) %b, i64 %k, i64 %x
  %b.value = load float, ptr addrspace(1) %b.at
  %product = fmul float %row.value, %b.value
  %sum.next = fadd float %sum, %product
  %k.next = add i64 %k, 1
  %done = icmp eq i64 %k.next, 100
  br i1 %done, label %last, label %loop
last:
  store float %sum.next, ptr addrspace(1) %c.at
  br label %end
end:
  ret void
}

; An atomic update must happen once for each group.
; CHECK-LABEL: @atomics
; CHECK-NOT: some.groups.leave
define void @atomics(ptr addrspace(1) %b, ptr addrspace(1) %c, i64 %n) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 1)
  %stays = icmp ult i64 %group, %n
  br i1 %stays, label %loop, label %end
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  call void @__lockstep_barrier(i32 1)
  %b.at = getelementptr [64 x i32], ptr addrspace(1) %b, i64 %k, i64 %x
  %b.value = load i32, ptr addrspace(1) %b.at
  %old = atomicrmw add ptr addrspace(1) %c, i32 %b.value monotonic
  %k.next = add i64 %k, 1
  %done = icmp eq i64 %k.next, 100
  br i1 %done, label %end, label %loop
end:
  ret void
}

declare void @__lockstep_barrier(i32) convergent nounwind
declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)

attributes #0 = { "lockstep-local-size"="64,1,1" "lockstep-neighbor-groups"="1,4,1" "lockstep-sub-group-size"="16" }
