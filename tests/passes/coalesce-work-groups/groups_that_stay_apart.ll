; RUN: lockstep-opt -passes='coalesce-work-groups' %s | FileCheck %s
; What keeps each group a call of its own.

; CHECK: @kept = internal addrspace(3) global [16 x float] undef
@kept = internal addrspace(3) global [16 x float] undef, align 4

; The number of rounds is another one in each group.
; CHECK-LABEL: @branch_differs
; CHECK-NOT: %group.id
; CHECK: ret void
define void @branch_differs(ptr addrspace(1) %a, ptr addrspace(1) %b) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 1)
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %from = getelementptr [64 x float], ptr addrspace(1) %a, i64 %k, i64 %x
  %value = load float, ptr addrspace(1) %from
  %to = getelementptr [64 x float], ptr addrspace(1) %b, i64 %group, i64 %x
  store float %value, ptr addrspace(1) %to
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %group
  br i1 %more, label %loop, label %end
end:
  ret void
}

; A group operation beside the barrier is done once for a group.
; CHECK-LABEL: @copies
; CHECK-NOT: %group.id
; CHECK: ret void
define void @copies(ptr addrspace(1) %a, ptr addrspace(1) %b) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 1)
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %from = getelementptr [64 x float], ptr addrspace(1) %a, i64 %k, i64 %x
  %value = load float, ptr addrspace(1) %from
  %to = getelementptr [64 x float], ptr addrspace(1) %b, i64 %group, i64 %x
  store float %value, ptr addrspace(1) %to
  call void @__lockstep_group_copy(ptr addrspace(4) null, ptr addrspace(4) null, i64 0, i64 1, i64 1, i64 4)
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, 64
  br i1 %more, label %loop, label %end
end:
  ret void
}

; A barrier behind a branch that differs.
; CHECK-LABEL: @barrier_of_some
; CHECK-NOT: %group.id
; CHECK: ret void
define void @barrier_of_some(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 1)
  %inside = icmp ult i64 %group, %n
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %on ]
  %from = getelementptr [64 x float], ptr addrspace(1) %a, i64 %k, i64 %x
  %value = load float, ptr addrspace(1) %from
  %to = getelementptr [64 x float], ptr addrspace(1) %b, i64 %group, i64 %x
  store float %value, ptr addrspace(1) %to
  br i1 %inside, label %then, label %on
then:
  call void @__lockstep_barrier(i32 1)
  br label %on
on:
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, 64
  br i1 %more, label %loop, label %end
end:
  ret void
}

; The launch offers none.
; CHECK-LABEL: @no_neighbors
; CHECK-NOT: %group.id
; CHECK: ret void
define void @no_neighbors(ptr addrspace(1) %a, ptr addrspace(1) %b) #1 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 1)
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %from = getelementptr [64 x float], ptr addrspace(1) %a, i64 %k, i64 %x
  %value = load float, ptr addrspace(1) %from
  %to = getelementptr [64 x float], ptr addrspace(1) %b, i64 %group, i64 %x
  store float %value, ptr addrspace(1) %to
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, 64
  br i1 %more, label %loop, label %end
end:
  ret void
}

; The group has several work-items in that dimension.
; CHECK-LABEL: @rows_of_its_own
; CHECK-NOT: %group.id
; CHECK: ret void
define void @rows_of_its_own(ptr addrspace(1) %a, ptr addrspace(1) %b) #2 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 1)
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %from = getelementptr [64 x float], ptr addrspace(1) %a, i64 %k, i64 %x
  %value = load float, ptr addrspace(1) %from
  %to = getelementptr [64 x float], ptr addrspace(1) %b, i64 %group, i64 %x
  store float %value, ptr addrspace(1) %to
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, 64
  br i1 %more, label %loop, label %end
end:
  ret void
}

; A row is not a whole number of sub-groups.
; CHECK-LABEL: @odd_row
; CHECK-NOT: %group.id
; CHECK: ret void
define void @odd_row(ptr addrspace(1) %a, ptr addrspace(1) %b) #3 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 1)
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %from = getelementptr [64 x float], ptr addrspace(1) %a, i64 %k, i64 %x
  %value = load float, ptr addrspace(1) %from
  %to = getelementptr [64 x float], ptr addrspace(1) %b, i64 %group, i64 %x
  store float %value, ptr addrspace(1) %to
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, 64
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Kernels that wait might wait for each other.
; CHECK-LABEL: @waits
; CHECK-NOT: %group.id
; CHECK: ret void
define void @waits(ptr addrspace(1) %a, ptr addrspace(1) %b) #4 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 1)
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %from = getelementptr [64 x float], ptr addrspace(1) %a, i64 %k, i64 %x
  %value = load float, ptr addrspace(1) %from
  %to = getelementptr [64 x float], ptr addrspace(1) %b, i64 %group, i64 %x
  store float %value, ptr addrspace(1) %to
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, 64
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Nothing is loaded more than once.
; CHECK-LABEL: @no_loop
; CHECK-NOT: %group.id
; CHECK: load float, ptr addrspace(3) @kept
; CHECK: ret void
define void @no_loop(ptr addrspace(1) %a) #0 {
entry:
  %group = call i64 @__lockstep_group_id(i32 1)
  %value = load float, ptr addrspace(3) @kept
  %to = getelementptr float, ptr addrspace(1) %a, i64 %group
  store float %value, ptr addrspace(1) %to
  ret void
}

declare void @__lockstep_barrier(i32) convergent nounwind
declare void @__lockstep_group_copy(ptr addrspace(4), ptr addrspace(4), i64, i64, i64, i64) convergent nounwind
declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)

attributes #0 = { "lockstep-local-size"="64,1,1" "lockstep-neighbor-groups"="1,4,1" "lockstep-sub-group-size"="16" }
attributes #1 = { "lockstep-local-size"="64,1,1" "lockstep-sub-group-size"="16" }
attributes #2 = { "lockstep-local-size"="64,2,1" "lockstep-neighbor-groups"="1,4,1" "lockstep-sub-group-size"="16" }
attributes #3 = { "lockstep-local-size"="24,1,1" "lockstep-neighbor-groups"="1,4,1" "lockstep-sub-group-size"="16" }
attributes #4 = { "lockstep-form"="resumable" "lockstep-local-size"="64,1,1" "lockstep-neighbor-groups"="1,4,1" "lockstep-sub-group-size"="16" }
