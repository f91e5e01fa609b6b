; RUN: lockstep-opt -passes=packetize %s | FileCheck %s
; a[2 * i] and a[2 * i + 1] in many spellings: one wide load.

; CHECK-LABEL: @bytes(
; CHECK: load <8 x i32>
; CHECK-NOT: load
; CHECK: ret void
define void @bytes(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %n, i32 %k) "lockstep-sub-group-size"="4" {
  %lane = call i64 @__lockstep_lane()
  %even = shl i64 %lane, 3
  %odd = or disjoint i64 %even, 4
  %one = getelementptr i8, ptr addrspace(1) %p, i64 %even
  %other = getelementptr i8, ptr addrspace(1) %p, i64 %odd
  %a = load i32, ptr addrspace(1) %one
  %b = load i32, ptr addrspace(1) %other
  %total = add i32 %a, %b
  %to = getelementptr i32, ptr addrspace(1) %q, i64 %lane
  store i32 %total, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: @subtracted(
; CHECK: load <8 x i32>
; CHECK-NOT: load
; CHECK: ret void
define void @subtracted(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %n, i32 %k) "lockstep-sub-group-size"="4" {
  %lane = call i64 @__lockstep_lane()
  %twice = mul i64 %lane, 2
  %even = add i64 %n, %twice
  %minus = mul i64 %lane, -2
  %next = add i64 %n, 1
  %odd = sub i64 %next, %minus
  %one = getelementptr i32, ptr addrspace(1) %p, i64 %even
  %other = getelementptr i32, ptr addrspace(1) %p, i64 %odd
  %a = load i32, ptr addrspace(1) %one
  %b = load i32, ptr addrspace(1) %other
  %total = add i32 %a, %b
  %to = getelementptr i32, ptr addrspace(1) %q, i64 %lane
  store i32 %total, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: @member_and_element(
; CHECK: load <8 x i32>
; CHECK-NOT: load
; CHECK: ret void
define void @member_and_element(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %n, i32 %k) "lockstep-sub-group-size"="4" {
  %lane = call i64 @__lockstep_lane()
  %even = shl i64 %lane, 1
  %one = getelementptr i32, ptr addrspace(1) %p, i64 %even
  %other = getelementptr { i32, i32 }, ptr addrspace(1) %p, i64 %lane, i32 1
  %a = load i32, ptr addrspace(1) %one
  %b = load i32, ptr addrspace(1) %other
  %total = add i32 %a, %b
  %to = getelementptr i32, ptr addrspace(1) %q, i64 %lane
  store i32 %total, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: @int_of_a_known_range(
; CHECK: load <8 x i32>
; CHECK-NOT: load
; CHECK: ret void
define void @int_of_a_known_range(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %n, i32 %k) "lockstep-sub-group-size"="4" {
  %lane = call i64 @__lockstep_lane()
  %first = call range(i64 0, 64) i64 @__lockstep_local_id(i32 0)
  %id = trunc i64 %first to i32
  %begin = shl i32 %id, 1
  %next = add i32 %begin, 1
  %wide = sext i32 %begin to i64
  %beside = zext i32 %next to i64
  %twice = shl i64 %lane, 1
  %even = add i64 %wide, %twice
  %odd = add i64 %beside, %twice
  %one = getelementptr i32, ptr addrspace(1) %p, i64 %even
  %other = getelementptr i32, ptr addrspace(1) %p, i64 %odd
  %a = load i32, ptr addrspace(1) %one
  %b = load i32, ptr addrspace(1) %other
  %total = add i32 %a, %b
  %to = getelementptr i32, ptr addrspace(1) %q, i64 %lane
  store i32 %total, ptr addrspace(1) %to
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
