; RUN: lockstep-opt -passes='isolate-group-operations,work-item-loops' --local-size=8,4,1 %s | FileCheck %s
; Regions in which those beyond the bound have something to do, or nobody knows the bound.

; CHECK-NOT: {{^region.*(rest|boundary)}}

; The other way stores.
; CHECK-LABEL: @other_way_stores(
define void @other_way_stores(ptr addrspace(1) %p, i64 %n) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %id
  %works = icmp ult i64 %id, %n
  br i1 %works, label %end, label %other
other:
  store i32 1, ptr addrspace(1) %place
  br label %end
end:
  ret void
}

; All store, after.
; CHECK-LABEL: @all_store(
define void @all_store(ptr addrspace(1) %p, i64 %n) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %id
  %works = icmp ult i64 %id, %n
  br i1 %works, label %work, label %end
work:
  store i32 1, ptr addrspace(1) %place
  br label %end
end:
  %next = getelementptr i32, ptr addrspace(1) %place, i64 100
  store i32 2, ptr addrspace(1) %next
  ret void
}

; A volatile read may not go.
; CHECK-LABEL: @volatile_load(
define void @volatile_load(ptr addrspace(1) %p, i64 %n) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %seen = load volatile i32, ptr addrspace(1) %p
  %works = icmp ult i64 %id, %n
  br i1 %works, label %work, label %end
work:
  store i32 1, ptr addrspace(1) %p
  br label %end
end:
  ret void
}

; Those beyond might never leave the loop.
; CHECK-LABEL: @loop_beyond(
define void @loop_beyond(ptr addrspace(1) %p, i64 %n) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %works = icmp ult i64 %id, %n
  br i1 %works, label %work, label %wait
wait:
  %seen = load i32, ptr addrspace(1) %p
  %again = icmp eq i32 %seen, 0
  br i1 %again, label %wait, label %end
work:
  store i32 1, ptr addrspace(1) %p
  br label %end
end:
  ret void
}

; The bound differs between work-items.
; CHECK-LABEL: @own_bound(
define void @own_bound(ptr addrspace(1) %p) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %place = getelementptr i64, ptr addrspace(1) %p, i64 %id
  %n = load i64, ptr addrspace(1) %place
  %works = icmp ult i64 %id, %n
  br i1 %works, label %work, label %end
work:
  store i64 1, ptr addrspace(1) %place
  br label %end
end:
  ret void
}

; A lower bound, and an id that grows by more than 1 and wraps.
; CHECK-LABEL: @lower_bound(
define void @lower_bound(ptr addrspace(1) %p, i64 %n) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %works = icmp ugt i64 %id, %n
  br i1 %works, label %work, label %end
work:
  store i32 1, ptr addrspace(1) %p
  br label %end
end:
  ret void
}

; CHECK-LABEL: @scaled_id(
define void @scaled_id(ptr addrspace(1) %p, i64 %n) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %scaled = mul i64 %id, %n
  %works = icmp ult i64 %scaled, 100
  br i1 %works, label %work, label %end
work:
  store i32 1, ptr addrspace(1) %p
  br label %end
end:
  ret void
}

; Bounds in two dimensions leave an L of work-items.
; CHECK-LABEL: @two_dimensions(
define void @two_dimensions(ptr addrspace(1) %p, i64 %n) convergent {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %x.works = icmp ult i64 %x, %n
  br i1 %x.works, label %x.work, label %then
x.work:
  store i32 1, ptr addrspace(1) %p
  br label %then
then:
  %y.works = icmp ult i64 %y, %n
  br i1 %y.works, label %y.work, label %end
y.work:
  store i32 2, ptr addrspace(1) %p
  br label %end
end:
  ret void
}

; A value of each work-item is made anew for the next region.
; CHECK-LABEL: @new_value(
define void @new_value(ptr addrspace(1) %p, i64 %n) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %id
  %mine = load i32, ptr addrspace(1) %place
  %works = icmp ult i64 %id, %n
  br i1 %works, label %work, label %join
work:
  %more = add i32 %mine, 1
  br label %join
join:
  %next = phi i32 [ %more, %work ], [ %mine, %entry ]
  call void @__lockstep_barrier(i32 2)
  store i32 %next, ptr addrspace(1) %place
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare void @__lockstep_barrier(i32) convergent nounwind
