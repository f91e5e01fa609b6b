; RUN: lockstep-opt -passes='isolate-group-operations,work-item-loops' --local-size=8,1,1 %s | FileCheck %s
; Bounds in several forms, with one lane.

; A constant: the first work-items only, and nothing is left of the comparison.
; CHECK-LABEL: @constant(
; CHECK: region.0.body:
; CHECK: region.0.latch:
; CHECK: icmp ult i64 %{{.*}}, 3
; CHECK-NOT: region.0.rest
; CHECK: entry.r0:
; CHECK: br i1 true, label %work.r0, label %end.r0
define void @constant(ptr addrspace(1) %p) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %works = icmp ult i64 %id, 3
  br i1 %works, label %work, label %end
work:
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %id
  store i32 1, ptr addrspace(1) %place
  br label %end
end:
  ret void
}

; Nobody but the first one may be equal; it keeps the comparison.
; CHECK-LABEL: @equal(
; CHECK: region.0.rest.latch:
; CHECK: icmp ult i64 %{{.*}}, 1
; CHECK: br i1 %works.r0
define void @equal(ptr addrspace(1) %p) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %works = icmp eq i64 %id, 0
  br i1 %works, label %work, label %end
work:
  store i32 1, ptr addrspace(1) %p
  br label %end
end:
  ret void
}

; A global id narrowed to int: the sum may wrap, and then all run.
; CHECK-LABEL: @narrow_global_id(
; CHECK: %[[GROUP:.*]] = trunc i64 %{{.*}} to i32
; CHECK: %[[BASE:.*]] = mul i32 %[[GROUP]], 8
; CHECK: %[[FITS:.*]] = icmp sle i32 %[[BASE]], 2147483640
; CHECK: %[[REACHED:.*]] = icmp sge i32 %n, %[[BASE]]
; CHECK: select i1 %[[FITS]], i64 %{{.*}}, i64 8
; CHECK: select i1 %[[FITS]], i64 %{{.*}}, i64 0
; CHECK: region.0.rest:
define void @narrow_global_id(ptr addrspace(1) %p, i32 noundef %n) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %first = shl i64 %group, 3
  %global = or disjoint i64 %first, %id
  %narrow = trunc i64 %global to i32
  %works = icmp slt i32 %narrow, %n
  br i1 %works, label %work, label %end
work:
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %global
  store i32 1, ptr addrspace(1) %place
  br label %end
end:
  ret void
}

; The id times a constant: 4 * id < 13 has four ids, and 3 * id <= 5 two.
; CHECK-LABEL: @multiples(
; CHECK: region.0.latch:
; CHECK: icmp ult i64 %{{.*}}, 4
; CHECK-NOT: region.0.rest
; CHECK: region.1.latch:
; CHECK: icmp ult i64 %{{.*}}, 2
; CHECK-NOT: region.1.rest
define void @multiples(ptr addrspace(1) %p) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %fourth = shl i64 %id, 2
  %works = icmp ult i64 %fourth, 13
  br i1 %works, label %work, label %join
work:
  store i32 1, ptr addrspace(1) %p
  br label %join
join:
  call void @__lockstep_barrier(i32 2)
  %third = mul i64 %id, 3
  %works.again = icmp ule i64 %third, 5
  br i1 %works.again, label %again, label %end
again:
  store i32 2, ptr addrspace(1) %p
  br label %end
end:
  ret void
}

; A sum of 32 bits that may wrap grows by 2 * 7 in the group before it is extended.
; CHECK-LABEL: @extended(
; CHECK: %[[BASE:.*]] = mul i32 %{{.*}}, 2
; CHECK: icmp ule i32 %[[BASE]], -15
; CHECK: %[[WIDE:.*]] = zext i32 %[[BASE]] to i64
; CHECK: sub i64 %n, %
; CHECK: udiv i64 %{{.*}}, 2
define void @extended(ptr addrspace(1) %p, i32 noundef %first, i64 noundef %n) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %narrow = trunc i64 %id to i32
  %sum = add i32 %narrow, %first
  %twice = shl i32 %sum, 1
  %wide = zext i32 %twice to i64
  %works = icmp ult i64 %wide, %n
  br i1 %works, label %work, label %end
work:
  store i32 1, ptr addrspace(1) %p
  br label %end
end:
  ret void
}

; The bound is halved after the barrier and tested before the next one: region 1 must use the half.
; CHECK-LABEL: @halved(
; CHECK: region.1:
; CHECK: %[[HALF:.*]] = lshr i64 %{{.*}}, 1
; CHECK: call i64 @llvm.umin.i64(i64 %{{.*}}, i64 8)
; CHECK: region.1.rest:
define void @halved(ptr addrspace(1) %p, i64 %n) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  br label %header
header:
  %step = phi i64 [ %n, %entry ], [ %half, %join ]
  %works = icmp ult i64 %id, %step
  br i1 %works, label %work, label %join
work:
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %id
  store i32 1, ptr addrspace(1) %place
  br label %join
join:
  call void @__lockstep_barrier(i32 2)
  %half = lshr i64 %step, 1
  %more = icmp ne i64 %half, 0
  br i1 %more, label %header, label %end
end:
  ret void
}

; The value that crosses the barrier is what it was in idle work-items.
; CHECK-LABEL: @value_stays(
; CHECK: region.1.rest:
define void @value_stays(ptr addrspace(1) %p, i64 %n, i64 %rounds) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %id
  %first = load i32, ptr addrspace(1) %place
  br label %header
header:
  %sum = phi i32 [ %first, %entry ], [ %next, %join ]
  %round = phi i64 [ 0, %entry ], [ %one.more, %join ]
  call void @__lockstep_barrier(i32 2)
  %works = icmp ult i64 %id, %n
  br i1 %works, label %work, label %join
work:
  %other = load i32, ptr addrspace(1) %place
  %more = add i32 %sum, %other
  br label %join
join:
  %next = phi i32 [ %more, %work ], [ %sum, %header ]
  %one.more = add i64 %round, 1
  %again = icmp ult i64 %one.more, %rounds
  br i1 %again, label %header, label %end
end:
  br i1 %works, label %store, label %exit
store:
  store i32 %next, ptr addrspace(1) %place
  br label %exit
exit:
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)
declare void @__lockstep_barrier(i32) convergent nounwind
