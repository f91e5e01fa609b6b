; RUN: env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes='coalesce-indistinct-groups' %s | FileCheck %s
; CHECK-NOT: lockstep-coalesced-groups
; What keeps groups as they are.

; The number of a group is another one in each, and so is the place in it.
define void @asks_for_group(ptr addrspace(1) %a) #0 {
  %group = call i64 @__lockstep_group_id(i32 0)
  %at = getelementptr i64, ptr addrspace(1) %a, i64 %group
  store i64 %group, ptr addrspace(1) %at
  ret void
}

define void @asks_for_place(ptr addrspace(1) %a) #0 {
  %group = call i64 @__lockstep_group_id(i32 0)
  %local = call range(i64 0, 4) i64 @__lockstep_local_id(i32 0)
  %first = shl i64 %group, 2
  %id = or disjoint i64 %first, %local
  %at = getelementptr i64, ptr addrspace(1) %a, i64 %id
  store i64 %local, ptr addrspace(1) %at
  ret void
}

; Not the global id of groups of four.
define void @other_factor(ptr addrspace(1) %a) #0 {
  %group = call i64 @__lockstep_group_id(i32 0)
  %local = call range(i64 0, 4) i64 @__lockstep_local_id(i32 0)
  %first = shl i64 %group, 3
  %id = or disjoint i64 %first, %local
  %at = getelementptr i64, ptr addrspace(1) %a, i64 %id
  store i64 %id, ptr addrspace(1) %at
  ret void
}

define void @meets(ptr addrspace(1) %a) #1 {
  %group = call i64 @__lockstep_group_id(i32 0)
  %at = getelementptr i64, ptr addrspace(1) %a, i64 %group
  store i64 1, ptr addrspace(1) %at
  call void @__lockstep_barrier(i32 1)
  ret void
}

define void @local_memory(ptr addrspace(1) %a, ptr addrspace(3) %l) #1 {
  %group = call i64 @__lockstep_group_id(i32 0)
  store i64 %group, ptr addrspace(3) %l
  %value = load i64, ptr addrspace(3) %l
  %at = getelementptr i64, ptr addrspace(1) %a, i64 %group
  store i64 %value, ptr addrspace(1) %at
  ret void
}

; One group might look for what another one does: its lanes stay its own.
define void @counts(ptr addrspace(1) %a) #1 {
  %group = call i64 @__lockstep_group_id(i32 0)
  %before = atomicrmw add ptr addrspace(1) %a, i64 %group monotonic
  ret void
}

; Nobody offers more.
define void @alone(ptr addrspace(1) %a) #2 {
  %group = call i64 @__lockstep_group_id(i32 0)
  %at = getelementptr i64, ptr addrspace(1) %a, i64 %group
  store i64 %group, ptr addrspace(1) %at
  ret void
}

; Full lanes, and no loop.
define void @full(ptr addrspace(1) %a) #3 {
  %group = call i64 @__lockstep_group_id(i32 0)
  %local = call range(i64 0, 64) i64 @__lockstep_local_id(i32 0)
  %first = shl i64 %group, 6
  %id = or disjoint i64 %first, %local
  %at = getelementptr i64, ptr addrspace(1) %a, i64 %id
  store i64 %id, ptr addrspace(1) %at
  ret void
}

declare i64 @__lockstep_group_id(i32)
declare i64 @__lockstep_local_id(i32)
declare void @__lockstep_barrier(i32) convergent

attributes #0 = { "lockstep-local-size"="4,1,1" "lockstep-neighbor-groups"="8,1,1" }
attributes #1 = { "lockstep-local-size"="1,1,1" "lockstep-neighbor-groups"="8,1,1" }
attributes #2 = { "lockstep-local-size"="1,1,1" }
attributes #3 = { "lockstep-local-size"="64,1,1" "lockstep-neighbor-groups"="4,1,1" }
