; RUN: lockstep-opt -passes='coalesce-work-groups' %s | FileCheck %s
; All groups store the same to both variables. To @later a work-item stores to its element after it has read it, so
; the second group would read what the first one has stored: each group has its own. Where a barrier stands between, or
; the store comes first, one is enough.

; CHECK-DAG: @panel = internal addrspace(3) global [64 x float] undef, align 4
; CHECK-DAG: @later.of.groups = internal addrspace(3) global [1024 x i8] undef, align 4
; CHECK-NOT: addrspace(3) global
@panel = internal addrspace(3) global [64 x float] undef, align 4
@later = internal addrspace(3) global [64 x float] undef, align 4

define void @kernel(ptr addrspace(1) %b, ptr addrspace(1) %out) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 1)
  %panel.at = getelementptr float, ptr addrspace(3) @panel, i64 %x
  %later.at = getelementptr float, ptr addrspace(3) @later, i64 %x
  %back = sub i64 63, %x
  %panel.other = getelementptr float, ptr addrspace(3) @panel, i64 %back
  store float 1.0, ptr addrspace(3) %later.at
  call void @__lockstep_barrier(i32 1)
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop.end ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop.end ]
  %b.at = getelementptr [64 x float], ptr addrspace(1) %b, i64 %k, i64 %x
  %b.value = load float, ptr addrspace(1) %b.at
  store float %b.value, ptr addrspace(3) %panel.at
  %later.value = load float, ptr addrspace(3) %later.at
  call void @__lockstep_barrier(i32 1)
  %other = load float, ptr addrspace(3) %panel.other
  call void @__lockstep_barrier(i32 1)
  %both = fadd float %other, %later.value
  %sum.next = fadd float %sum, %both
  %odd = trunc i64 %k to i1
  br i1 %odd, label %read.again, label %loop.end
read.again:
  %last = load float, ptr addrspace(3) %later.at
  %keep = fadd float %last, %both
  store float 2.0, ptr addrspace(3) %later.at
  br label %loop.end
loop.end:
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, 64
  br i1 %more, label %loop, label %end
end:
  %out.at = getelementptr [64 x float], ptr addrspace(1) %out, i64 %group, i64 %x
  store float %sum.next, ptr addrspace(1) %out.at
  ret void
}

declare void @__lockstep_barrier(i32) convergent nounwind
declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)

attributes #0 = { "lockstep-local-size"="64,1,1" "lockstep-neighbor-groups"="1,4,1" "lockstep-sub-group-size"="16" }
