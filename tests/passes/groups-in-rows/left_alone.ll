; RUN: lockstep-opt -passes=groups-in-rows %s | FileCheck %s
; CHECK-NOT: lockstep-row-of-groups

; Rows would gain nothing: each work-item has elements of its own.
define void @own(ptr addrspace(1) %a, i32 %n) "lockstep-local-size"="64,1,1" {
  %g = call i64 @__lockstep_group_id(i32 0)
  %first = shl i64 %g, 6
  %l = call range(i64 0, 64) i64 @__lockstep_local_id(i32 0)
  %id = or disjoint i64 %first, %l
  %i = trunc i64 %id to i32
  %y = udiv i32 %i, %n
  %to = getelementptr i32, ptr addrspace(1) %a, i64 %id
  store i32 %y, ptr addrspace(1) %to
  ret void
}

; The launch does not know the divisor.
define void @loaded(ptr addrspace(1) %a, ptr addrspace(1) %sizes, i32 %h) "lockstep-local-size"="64,1,1" {
  %n = load i32, ptr addrspace(1) %sizes
  %g = call i64 @__lockstep_group_id(i32 0)
  %first = shl i64 %g, 6
  %l = call range(i64 0, 64) i64 @__lockstep_local_id(i32 0)
  %id = or disjoint i64 %first, %l
  %i = trunc i64 %id to i32
  %y = udiv i32 %i, %n
  %x = urem i32 %i, %n
  %column = mul i32 %x, %h
  %at = add i32 %column, %y
  %to = getelementptr float, ptr addrspace(1) %a, i32 %at
  store float 1.0, ptr addrspace(1) %to
  ret void
}

declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
