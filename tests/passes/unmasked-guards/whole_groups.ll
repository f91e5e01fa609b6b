; RUN: lockstep-opt -passes='unmasked-guards' %s | FileCheck %s
; Code with a barrier behind a guard at the entry: a version for groups of which all work-items pass.

; CHECK-LABEL: @guarded(
; CHECK: %passes = icmp ult i64 %x, %n
; CHECK: [[LEAST:%.*]] = add i64 %first, 0
; CHECK: [[GREATEST:%.*]] = add i64 %first, 63
; CHECK: [[HOLDS:%.*]] = icmp ult i64 [[GREATEST]], %n
; CHECK: [[GROWS:%.*]] = icmp ule i64 [[LEAST]], [[GREATEST]]
; CHECK: [[ALL:%.*]] = and i1 [[HOLDS]], [[GROWS]]
; CHECK: br i1 [[ALL]], label %body.full, label %entry.divergent
; CHECK: entry.divergent:
; CHECK: br i1 %passes, label %body, label %end
define void @guarded(ptr addrspace(3) %to, i64 %n) #0 {
entry:
  %id = call range(i64 0, 64) i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %first = mul i64 %group, 64
  %x = add i64 %first, %id
  %passes = icmp ult i64 %x, %n
  br i1 %passes, label %body, label %end
body:
  %to.at = getelementptr float, ptr addrspace(3) %to, i64 %id
  store float 1.0, ptr addrspace(3) %to.at
  call void @__lockstep_barrier(i32 1)
  br label %end
end:
  ret void
}

; `int i = get_global_id(0); if (i < n)`: the sum is truncated.
; CHECK-LABEL: @truncated(
; CHECK: [[GREATEST:%.*]] = or disjoint i64 %first, 63
; CHECK: [[NARROW:%.*]] = trunc i64 [[GREATEST]] to i32
; CHECK: [[HOLDS:%.*]] = icmp sgt i32 %n, [[NARROW]]
; CHECK: [[GROWS:%.*]] = icmp sle i32 {{%.*}}, [[NARROW]]
; CHECK: [[ALL:%.*]] = and i1 [[HOLDS]], [[GROWS]]
; CHECK: br i1 [[ALL]], label %body.full, label %entry.divergent
define void @truncated(ptr addrspace(3) %to, i32 %n) #0 {
entry:
  %id = call range(i64 0, 64) i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %first = shl i64 %group, 6
  %x = or disjoint i64 %first, %id
  %i = trunc i64 %x to i32
  %passes = icmp sgt i32 %n, %i
  br i1 %passes, label %body, label %end
body:
  %to.at = getelementptr float, ptr addrspace(3) %to, i64 %id
  store float 1.0, ptr addrspace(3) %to.at
  call void @__lockstep_barrier(i32 1)
  br label %end
end:
  ret void
}

; A loaded bound may differ, and so may a bound from a table of work-items.
; CHECK-LABEL: @loaded(
; CHECK-NOT: .full
; CHECK: ret void
define void @loaded(ptr addrspace(3) %to, ptr addrspace(1) %bounds) #0 {
entry:
  %id = call range(i64 0, 64) i64 @__lockstep_local_id(i32 0)
  %bound.at = getelementptr i64, ptr addrspace(1) %bounds, i64 %id
  %n = load i64, ptr addrspace(1) %bound.at
  %passes = icmp ult i64 %id, %n
  br i1 %passes, label %body, label %end
body:
  %to.at = getelementptr float, ptr addrspace(3) %to, i64 %id
  store float 1.0, ptr addrspace(3) %to.at
  call void @__lockstep_barrier(i32 1)
  br label %end
end:
  ret void
}

; A grid-stride loop behind its own guard only: unmasked-loops handles it.
; CHECK-LABEL: @own_guard(
; CHECK-NOT: .full
; CHECK: ret void
define void @own_guard(ptr addrspace(1) %from, ptr addrspace(1) %to, i64 %n) #0 {
entry:
  %id = call range(i64 0, 64) i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %all = call i64 @__lockstep_global_size(i32 0)
  %first = mul i64 %group, 64
  %x = add i64 %first, %id
  %enters = icmp ult i64 %x, %n
  br i1 %enters, label %ahead, label %end
ahead:
  br label %loop
loop:
  %i = phi i64 [ %x, %ahead ], [ %i.next, %loop ]
  %sum = phi i64 [ 0, %ahead ], [ %sum.next, %loop ]
  %at = getelementptr i64, ptr addrspace(1) %from, i64 %i
  %value = load i64, ptr addrspace(1) %at
  %sum.next = add i64 %sum, %value
  %i.next = add i64 %i, %all
  %more = icmp ult i64 %i.next, %n
  br i1 %more, label %loop, label %last
last:
  store i64 %sum.next, ptr addrspace(1) %to
  br label %end
end:
  ret void
}

; The first work-item fails first.
; CHECK-LABEL: @above(
; CHECK-NOT: .full
; CHECK: ret void
define void @above(ptr addrspace(3) %to, i64 %n) #0 {
entry:
  %id = call range(i64 0, 64) i64 @__lockstep_local_id(i32 0)
  %passes = icmp ugt i64 %id, %n
  br i1 %passes, label %body, label %end
body:
  %to.at = getelementptr float, ptr addrspace(3) %to, i64 %id
  store float 1.0, ptr addrspace(3) %to.at
  call void @__lockstep_barrier(i32 1)
  br label %end
end:
  ret void
}

declare void @__lockstep_barrier(i32) convergent nounwind
declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_global_size(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)

attributes #0 = { "lockstep-local-size"="64,1,1" "lockstep-sub-group-size"="16" }
