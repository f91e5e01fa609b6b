; RUN: env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes='coalesce-indistinct-groups' %s | FileCheck %s
; The global id in sums that LLVM has taken apart: a call is for 64 work-items of groups of one row of 4.

; An `int`: its parts are truncated.
; CHECK: define void @int({{.*}}) #[[FILLED:[0-9]+]]
; CHECK: %global.id = add i64
; CHECK: trunc i64 %global.id to i32
define void @int(ptr addrspace(1) %to, i32 %n) #0 {
  %x = call range(i64 0, 4) i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %narrow = trunc i64 %x to i32
  %narrow.group = trunc i64 %group to i32
  %first = shl i32 %narrow.group, 2
  %moved = add i32 %first, %n
  %index = add i32 %moved, %narrow
  %wide = sext i32 %index to i64
  %place = getelementptr float, ptr addrspace(1) %to, i64 %wide
  store float 1.0, ptr addrspace(1) %place
  ret void
}

; A `uint`: InstCombine masks the first id of the group.
; CHECK: define void @uint({{.*}}) #[[FILLED]]
; CHECK: %global.id = add i64
; CHECK: trunc i64 %global.id to i32
; CHECK: zext i32
define void @uint(ptr addrspace(1) %to) #0 {
  %x = call range(i64 0, 4) i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %first = shl i64 %group, 2
  %masked = and i64 %first, 4294967292
  %index = or disjoint i64 %masked, %x
  %place = getelementptr float, ptr addrspace(1) %to, i64 %index
  store float 1.0, ptr addrspace(1) %place
  ret void
}

; Another mask is no extension.
; CHECK: define void @wrapped({{.*}}) #[[APART:[0-9]+]]
define void @wrapped(ptr addrspace(1) %to) #1 {
  %x = call range(i64 0, 4) i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %first = shl i64 %group, 2
  %masked = and i64 %first, 65532
  %index = or disjoint i64 %masked, %x
  %place = getelementptr float, ptr addrspace(1) %to, i64 %index
  store float 1.0, ptr addrspace(1) %place
  ret void
}

; Bytes: a multiple of each part.
; CHECK: define void @bytes({{.*}}) #[[FILLED]]
; CHECK: %global.id = add i64
; CHECK: %byte = mul i64 %global.id, 4
define void @bytes(ptr addrspace(1) %to) #0 {
  %x = call range(i64 0, 4) i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %byte.local = shl i64 %x, 2
  %byte.group = shl i64 %group, 4
  %byte = or disjoint i64 %byte.group, %byte.local
  %place = getelementptr i8, ptr addrspace(1) %to, i64 %byte
  store float 1.0, ptr addrspace(1) %place
  ret void
}

; A difference, with terms in between.
; CHECK: define void @backwards({{.*}}) #[[FILLED]]
; CHECK: %global.id = add i64
; CHECK: mul i64 %global.id, -1
define void @backwards(ptr addrspace(1) %to, i64 %n) #0 {
  %x = call range(i64 0, 4) i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %last = sub i64 %n, %x
  %more = add i64 %last, -1
  %first = mul i64 %group, 4
  %index = sub i64 %more, %first
  %place = getelementptr float, ptr addrspace(1) %to, i64 %index
  store float 1.0, ptr addrspace(1) %place
  ret void
}

; Another multiple of the group's id: the work-item knows its group.
; CHECK: define void @other_multiple({{.*}}) #[[AS_IT_WAS:[0-9]+]]
define void @other_multiple(ptr addrspace(1) %to, i64 %n) #0 {
  %x = call range(i64 0, 4) i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %first = mul i64 %group, 8
  %moved = add i64 %first, %n
  %index = add i64 %moved, %x
  %place = getelementptr float, ptr addrspace(1) %to, i64 %index
  store float 1.0, ptr addrspace(1) %place
  ret void
}

declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)

; CHECK-DAG: attributes #[[FILLED]] = { "lockstep-coalesced-groups"="0,16,0" "lockstep-local-size"="64,1,1"
; CHECK-DAG: attributes #[[APART]] = {{.*}}"lockstep-local-size"="4,1,1"
; CHECK-DAG: attributes #[[AS_IT_WAS]] = { "lockstep-local-size"="4,1,1"
attributes #0 = { "lockstep-local-size"="4,1,1" "lockstep-neighbor-groups"="64,1,1" }
attributes #1 = { "lockstep-local-size"="4,1,1" "lockstep-neighbor-groups"="64,1,1" "other" }
