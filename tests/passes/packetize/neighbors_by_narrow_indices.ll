; RUN: lockstep-opt -passes=packetize %s | FileCheck %s
; a[2 * i] and a[2 * i + 1] with a `uint` i are neighbors. If nothing says that the narrow sums do not wrap, they are, too: no
; object is accessed at the elements 2^32 - 1 and 0 (lane_shapes.h). Sums of 16 bits wrap: two accesses.

; CHECK-LABEL: @pairs(
; CHECK: load <8 x i32>
; CHECK-NOT: load
define void @pairs(ptr addrspace(1) %p, ptr addrspace(1) %q) "lockstep-sub-group-size"="4" "target-cpu"="znver5" {
  %lane = call i64 @__lockstep_lane()
  %id = trunc i64 %lane to i32
  %even = shl nuw i32 %id, 1
  %odd = add nuw i32 %even, 1
  %i = zext i32 %even to i64
  %j = zext i32 %odd to i64
  %one = getelementptr i32, ptr addrspace(1) %p, i64 %i
  %other = getelementptr i32, ptr addrspace(1) %p, i64 %j
  %a = load i32, ptr addrspace(1) %one
  %b = load i32, ptr addrspace(1) %other
  %sum = add i32 %a, %b
  %to = getelementptr i32, ptr addrspace(1) %q, i64 %lane
  store i32 %sum, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: @not_known(
; CHECK: load <8 x i32>
; CHECK-NOT: load
define void @not_known(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) "lockstep-sub-group-size"="4" "target-cpu"="znver5" {
  %lane = call i64 @__lockstep_lane()
  %id = trunc i64 %lane to i32
  %even = shl i32 %id, 1
  %far = add i32 %even, %n
  %next = add i32 %far, 1
  %i = zext i32 %far to i64
  %j = zext i32 %next to i64
  %one = getelementptr i32, ptr addrspace(1) %p, i64 %i
  %other = getelementptr i32, ptr addrspace(1) %p, i64 %j
  %a = load i32, ptr addrspace(1) %one
  %b = load i32, ptr addrspace(1) %other
  %sum = add i32 %a, %b
  %to = getelementptr i32, ptr addrspace(1) %q, i64 %lane
  store i32 %sum, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: @may_wrap(
; CHECK: call <4 x i32> @llvm.masked.gather
; CHECK: call <4 x i32> @llvm.masked.gather
define void @may_wrap(ptr addrspace(1) %p, ptr addrspace(1) %q, i16 %n) "lockstep-sub-group-size"="4" "target-cpu"="znver5" {
  %lane = call i64 @__lockstep_lane()
  %id = trunc i64 %lane to i16
  %even = shl i16 %id, 1
  %far = add i16 %even, %n
  %next = add i16 %far, 1
  %i = zext i16 %far to i64
  %j = zext i16 %next to i64
  %one = getelementptr i32, ptr addrspace(1) %p, i64 %i
  %other = getelementptr i32, ptr addrspace(1) %p, i64 %j
  %a = load i32, ptr addrspace(1) %one
  %b = load i32, ptr addrspace(1) %other
  %sum = add i32 %a, %b
  %to = getelementptr i32, ptr addrspace(1) %q, i64 %lane
  store i32 %sum, ptr addrspace(1) %to
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
