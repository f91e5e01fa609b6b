; RUN: lockstep-opt -passes=packetize %s | FileCheck %s
; a[2 * i] and a[2 * i + 1] with a `uint` i: neighbors, where the narrow sums do not wrap. Where they may, two accesses.

; CHECK-LABEL: @pairs(
; CHECK: load <8 x i32>
; CHECK-NOT: load
define void @pairs(ptr addrspace(1) %p, ptr addrspace(1) %q) "lockstep-sub-group-size"="4" {
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

; CHECK-LABEL: @may_wrap(
; CHECK: call <8 x i32> @llvm.masked.load
; CHECK: call <8 x i32> @llvm.masked.load
define void @may_wrap(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) "lockstep-sub-group-size"="4" {
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

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
