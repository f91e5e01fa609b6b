; RUN: env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes='coalesce-indistinct-groups' %s | FileCheck %s
; A transpose by groups of 64 x 4: four of them have the 16 rows whose floats fill a cache line.

; CHECK: define void @transpose({{.*}}) #[[TRANSPOSE:[0-9]+]]
; CHECK: %y = call range(i64 0, 16) i64 @__lockstep_local_id(i32 1)
; CHECK: %row = add i64 %above, %y
define void @transpose(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n) #0 {
  %x = call range(i64 0, 64) i64 @__lockstep_local_id(i32 0)
  %y = call range(i64 0, 4) i64 @__lockstep_local_id(i32 1)
  %first = call i64 @__lockstep_group_id(i32 0)
  %second = call i64 @__lockstep_group_id(i32 1)
  %left = shl i64 %first, 6
  %column = or disjoint i64 %left, %x
  %above = shl i64 %second, 2
  %row = or disjoint i64 %above, %y
  %line = mul i64 %row, %n
  %index = add i64 %line, %column
  %from = getelementptr float, ptr addrspace(1) %a, i64 %index
  %value = load float, ptr addrspace(1) %from
  %to.line = mul i64 %column, %n
  %to.index = add i64 %to.line, %row
  %to = getelementptr float, ptr addrspace(1) %b, i64 %to.index
  store float %value, ptr addrspace(1) %to
  ret void
}

; It knows its group.
; CHECK: define void @asks({{.*}}) #[[SAME:[0-9]+]]
; CHECK: %y = call range(i64 0, 4) i64 @__lockstep_local_id(i32 1)
define void @asks(ptr addrspace(1) %b, i64 %n) #0 {
  %x = call range(i64 0, 64) i64 @__lockstep_local_id(i32 0)
  %y = call range(i64 0, 4) i64 @__lockstep_local_id(i32 1)
  %second = call i64 @__lockstep_group_id(i32 1)
  %above = shl i64 %second, 2
  %row = or disjoint i64 %above, %y
  %to.line = mul i64 %x, %n
  %to.index = add i64 %to.line, %row
  %to = getelementptr i64, ptr addrspace(1) %b, i64 %to.index
  store i64 %y, ptr addrspace(1) %to
  ret void
}

; Work-items above each other access elements of other rows.
; CHECK: define void @rows({{.*}}) #[[SAME]]
define void @rows(ptr addrspace(1) %b, i64 %n) #0 {
  %x = call range(i64 0, 64) i64 @__lockstep_local_id(i32 0)
  %y = call range(i64 0, 4) i64 @__lockstep_local_id(i32 1)
  %first = call i64 @__lockstep_group_id(i32 0)
  %second = call i64 @__lockstep_group_id(i32 1)
  %left = shl i64 %first, 6
  %column = or disjoint i64 %left, %x
  %above = shl i64 %second, 2
  %row = or disjoint i64 %above, %y
  %line = mul i64 %row, %n
  %index = add i64 %line, %column
  %twice = shl i64 %index, 1
  %to = getelementptr float, ptr addrspace(1) %b, i64 %twice
  store float 1.0, ptr addrspace(1) %to
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)

attributes #0 = { "lockstep-local-size"="64,4,1" "lockstep-neighbor-groups"="1,16,1" }

; CHECK-DAG: attributes #[[TRANSPOSE]] = { "lockstep-coalesced-groups"="1,4,1" "lockstep-local-size"="64,16,1"
; CHECK-DAG: attributes #[[SAME]] = { "lockstep-local-size"="64,4,1"
