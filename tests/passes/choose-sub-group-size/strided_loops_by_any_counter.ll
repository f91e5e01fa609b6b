; RUN: env LOCKSTEP_FORM=auto LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes=choose-sub-group-size %s 2>&1 | FileCheck %s
; One loop over all work-items in many spellings: an `int` counter, groups times their size, a second block in the loop, a
; pointer that moves, a step that is added in two parts, and a counter that an address multiplies.

; CHECK-COUNT-6: wide sub-groups: a loop steps over all work-items
; CHECK: @int({{.*}} [[WIDE:#[0-9]+]]
; CHECK: @groups_times_size({{.*}} [[WIDE]]
; CHECK: @blocks({{.*}} [[WIDE]]
; CHECK: @pointer({{.*}} [[WIDE]]
; CHECK: @two_sums({{.*}} [[WIDE]]
; CHECK: @product({{.*}} [[WIDE]]
; CHECK: attributes [[WIDE]] = {{.*}}"lockstep-sub-group-size"="64"

define void @int(ptr addrspace(1) %p, i64 %n, i32 %m) "lockstep-form"="resumable" {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %small = trunc i64 %id to i32
  %begin = getelementptr float, ptr addrspace(1) %p, i64 %id
  %all = call i64 @__lockstep_global_size(i32 0)
  %step = trunc i64 %all to i32
  br label %loop
loop:
  %i = phi i32 [ %small, %entry ], [ %next, %loop ]
  %wide = zext i32 %i to i64
  %place = getelementptr float, ptr addrspace(1) %p, i64 %wide
  %value = load volatile float, ptr addrspace(1) %place
  %next = add i32 %step, %i
  %again = icmp ult i32 %next, %m
  br i1 %again, label %loop, label %end
end:
  ret void
}

define void @groups_times_size(ptr addrspace(1) %p, i64 %n, i32 %m) "lockstep-form"="resumable" {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %small = trunc i64 %id to i32
  %begin = getelementptr float, ptr addrspace(1) %p, i64 %id
  %groups = call i64 @__lockstep_num_groups(i32 0)
  %step = mul i64 %groups, %n
  br label %loop
loop:
  %i = phi i64 [ %id, %entry ], [ %next, %loop ]
  %place = getelementptr float, ptr addrspace(1) %p, i64 %i
  %value = load volatile float, ptr addrspace(1) %place
  %next = add i64 %i, %step
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}

define void @blocks(ptr addrspace(1) %p, i64 %n, i32 %m) "lockstep-form"="resumable" {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %small = trunc i64 %id to i32
  %begin = getelementptr float, ptr addrspace(1) %p, i64 %id
  %all = call i64 @__lockstep_global_size(i32 0)
  br label %loop
loop:
  %i = phi i64 [ %id, %entry ], [ %next, %last ]
  %place = getelementptr float, ptr addrspace(1) %p, i64 %i
  %value = load volatile float, ptr addrspace(1) %place
  %is.odd = trunc i64 %i to i1
  br i1 %is.odd, label %more, label %last
more:
  br label %last
last:
  %next = add i64 %i, %all
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}

define void @pointer(ptr addrspace(1) %p, i64 %n, i32 %m) "lockstep-form"="resumable" {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %small = trunc i64 %id to i32
  %begin = getelementptr float, ptr addrspace(1) %p, i64 %id
  %all = call i64 @__lockstep_global_size(i32 0)
  br label %loop
loop:
  %i = phi ptr addrspace(1) [ %begin, %entry ], [ %next, %loop ]
  %place = getelementptr float, ptr addrspace(1) %i, i64 1
  %value = load volatile float, ptr addrspace(1) %place
  %next = getelementptr float, ptr addrspace(1) %i, i64 %all
  %again = icmp ult ptr addrspace(1) %next, %begin
  br i1 %again, label %loop, label %end
end:
  ret void
}

define void @two_sums(ptr addrspace(1) %p, i64 %n, i32 %m) "lockstep-form"="resumable" {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %small = trunc i64 %id to i32
  %begin = getelementptr float, ptr addrspace(1) %p, i64 %id
  %all = call i64 @__lockstep_global_size(i32 0)
  br label %loop
loop:
  %i = phi i64 [ %id, %entry ], [ %next, %loop ]
  %place = getelementptr float, ptr addrspace(1) %p, i64 %i
  %value = load volatile float, ptr addrspace(1) %place
  %beside = add i64 %i, 1
  %next = add i64 %beside, %all
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}

define void @product(ptr addrspace(1) %p, i64 %n, i32 %m) "lockstep-form"="resumable" {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %all = call i64 @__lockstep_global_size(i32 0)
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %wide = zext i32 %i to i64
  %far = mul i64 %all, %wide
  %index = add i64 %far, %id
  %place = getelementptr float, ptr addrspace(1) %p, i64 %index
  %value = load volatile float, ptr addrspace(1) %place
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, %m
  br i1 %again, label %loop, label %end
end:
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_global_size(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_num_groups(i32) nounwind willreturn memory(none)
