; RUN: lockstep-opt -passes=packetize %s | FileCheck %s
; a[i - 1] with an unsigned i: in the first lane, which is not active, the index has wrapped. The address comes from the
; last lane, whose index is right.

; CHECK-LABEL: @kernel
; CHECK: [[LAST:%.*]] = add i32 %before, 3
; CHECK: [[WIDE:%.*]] = zext i32 [[LAST]] to i64
; CHECK: [[FIRST:%.*]] = sub i64 [[WIDE]], 3
; CHECK: getelementptr i32, ptr addrspace(1) %p, i64 [[FIRST]]
define void @kernel(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %first) "lockstep-sub-group-size"="4" {
  %lane = call i64 @__lockstep_lane()
  %narrow = trunc i64 %lane to i32
  %id = add i32 %first, %narrow
  %before = add i32 %id, -1
  %active = icmp ne i32 %id, 0
  br label %block
block:
  call void @__lockstep_mask(i1 %active)
  %index = zext i32 %before to i64
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %index
  %value = load i32, ptr addrspace(1) %place
  %to = getelementptr i32, ptr addrspace(1) %q, i64 %lane
  store i32 %value, ptr addrspace(1) %to
  ret void
}

; Distances that are assumed already, as the index was widened and made narrow again, count as well.
; CHECK-LABEL: @widened_twice
; CHECK: [[AGAIN:%.*]] = trunc i64 %{{.*}} to i32
; CHECK: [[LAST:%.*]] = add i32 [[AGAIN]], 3
; CHECK: [[WIDE:%.*]] = zext i32 [[LAST]] to i64
; CHECK: [[FIRST:%.*]] = sub i64 [[WIDE]], 3
; CHECK: getelementptr i32, ptr addrspace(1) %p, i64 [[FIRST]]
define void @widened_twice(ptr addrspace(1) %p, i32 %first) "lockstep-sub-group-size"="4" {
  %lane = call i64 @__lockstep_lane()
  %narrow = trunc i64 %lane to i32
  %id = add i32 %first, %narrow
  %active = icmp ne i32 %id, 0
  br label %block
block:
  call void @__lockstep_mask(i1 %active)
  %wide = zext i32 %id to i64
  %before = add i64 %wide, -1
  %again = trunc i64 %before to i32
  %index = zext i32 %again to i64
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %index
  store i32 1, ptr addrspace(1) %place
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare void @__lockstep_mask(i1)
