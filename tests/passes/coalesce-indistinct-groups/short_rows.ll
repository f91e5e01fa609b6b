; RUN: env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes='coalesce-indistinct-groups' %s | FileCheck %s
; Groups of 4 x 4 whose work-items load neighbors in a loop: four groups side by side have rows of 16 lanes.

; CHECK: define void @window({{.*}}) #[[WIDE:[0-9]+]]
; CHECK: %x = call range(i64 0, 16) i64 @__lockstep_local_id(i32 0)
define void @window(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n) #0 {
entry:
  %x = call range(i64 0, 4) i64 @__lockstep_local_id(i32 0)
  %y = call range(i64 0, 4) i64 @__lockstep_local_id(i32 1)
  %first = call i64 @__lockstep_group_id(i32 0)
  %second = call i64 @__lockstep_group_id(i32 1)
  %left = shl i64 %first, 2
  %column = or disjoint i64 %left, %x
  %above = shl i64 %second, 2
  %row = or disjoint i64 %above, %y
  %line = mul i64 %row, %n
  %begin = add i64 %line, %column
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %sum.next, %loop ]
  %index = add i64 %begin, %k
  %from = getelementptr i32, ptr addrspace(1) %a, i64 %index
  %value = load i32, ptr addrspace(1) %from
  %sum.next = add i32 %sum, %value
  %k.next = add i64 %k, 1
  %again = icmp ult i64 %k.next, %n
  br i1 %again, label %loop, label %end
end:
  %to = getelementptr i32, ptr addrspace(1) %b, i64 %begin
  store i32 %sum.next, ptr addrspace(1) %to
  ret void
}

; Rows of 12: four have 48, which are three sub-groups.
; CHECK: define void @dozens({{.*}}) #[[DOZENS:[0-9]+]]
; CHECK: %x = call range(i64 0, 48) i64 @__lockstep_local_id(i32 0)
define void @dozens(ptr addrspace(1) %b, i64 %n) #1 {
entry:
  %x = call range(i64 0, 12) i64 @__lockstep_local_id(i32 0)
  %y = call range(i64 0, 4) i64 @__lockstep_local_id(i32 1)
  %first = call i64 @__lockstep_group_id(i32 0)
  %second = call i64 @__lockstep_group_id(i32 1)
  %left = mul i64 %first, 12
  %column = add i64 %left, %x
  %above = shl i64 %second, 2
  %row = or disjoint i64 %above, %y
  %line = mul i64 %row, %n
  %twice = shl i64 %column, 1
  %index = add i64 %line, %twice
  %to = getelementptr i32, ptr addrspace(1) %b, i64 %index
  store i32 1, ptr addrspace(1) %to
  ret void
}

; Most accesses are to columns.
; CHECK: define void @columns({{.*}}) #[[SAME:[0-9]+]]
define void @columns(ptr addrspace(1) %b, i64 %n) #0 {
entry:
  %x = call range(i64 0, 4) i64 @__lockstep_local_id(i32 0)
  %y = call range(i64 0, 4) i64 @__lockstep_local_id(i32 1)
  %first = call i64 @__lockstep_group_id(i32 0)
  %second = call i64 @__lockstep_group_id(i32 1)
  %left = shl i64 %first, 2
  %column = or disjoint i64 %left, %x
  %above = shl i64 %second, 2
  %row = or disjoint i64 %above, %y
  %line = mul i64 %column, %n
  %index = add i64 %line, %row
  %to = getelementptr i32, ptr addrspace(1) %b, i64 %index
  store i32 1, ptr addrspace(1) %to
  ret void
}

; An atomic operation, which another work-item may wait for.
; CHECK: define void @counts({{.*}}) #[[SAME]]
define void @counts(ptr addrspace(1) %b) #0 {
entry:
  %x = call range(i64 0, 4) i64 @__lockstep_local_id(i32 0)
  %first = call i64 @__lockstep_group_id(i32 0)
  %left = shl i64 %first, 2
  %column = or disjoint i64 %left, %x
  %to = getelementptr i32, ptr addrspace(1) %b, i64 %column
  %old = atomicrmw add ptr addrspace(1) %to, i32 1 monotonic
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)

attributes #0 = { "lockstep-local-size"="4,4,1" "lockstep-neighbor-groups"="16,8,1" }

attributes #1 = { "lockstep-local-size"="12,4,1" "lockstep-neighbor-groups"="16,8,1" }

; CHECK-DAG: attributes #[[DOZENS]] = { "lockstep-coalesced-groups"="0,4,0" "lockstep-local-size"="48,4,1"
; CHECK-DAG: attributes #[[WIDE]] = { "lockstep-coalesced-groups"="0,4,0" "lockstep-local-size"="16,4,1"
; CHECK-DAG: attributes #[[SAME]] = { "lockstep-local-size"="4,4,1"
