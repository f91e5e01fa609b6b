; RUN: env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes='coalesce-indistinct-groups' %s | FileCheck %s
; Work-items that know their global ids alone: groups in a row become one.

; Rows of 64 floats in a strided loop: four of them are 1 KiB. The sum was of bits that do not overlap, in a group of 64.
; CHECK: define void @strided({{.*}}) #[[STRIDED:[0-9]+]]
; CHECK: %local = call range(i64 0, 256) i64 @__lockstep_local_id(i32 0)
; CHECK: %first = shl i64 %group, 6
; CHECK-NEXT: %id = add i64 %first, %local
define void @strided(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n) #0 {
entry:
  %group = call i64 @__lockstep_group_id(i32 0)
  %local = call range(i64 0, 64) i64 @__lockstep_local_id(i32 0)
  %first = shl i64 %group, 6
  %id = or disjoint i64 %first, %local
  %items = call i64 @__lockstep_global_size(i32 0)
  br label %loop
loop:
  %i = phi i64 [ %id, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %added, %loop ]
  %at = getelementptr float, ptr addrspace(1) %a, i64 %i
  %value = load float, ptr addrspace(1) %at
  %added = fadd float %sum, %value
  %next = add i64 %i, %items
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  %to = getelementptr float, ptr addrspace(1) %b, i64 %id
  store float %added, ptr addrspace(1) %to
  ret void
}

; One work-item in a group: its global id is the group's, so whatever it is used for stays right.
; CHECK: define void @single({{.*}}) #[[SINGLE:[0-9]+]]
; CHECK: %group = call i64 @__lockstep_group_id(i32 0)
; CHECK-NEXT: %group.number = call range(i64 0, 64) i64 @__lockstep_local_id(i32 0)
; CHECK-NEXT: %group.id = add nuw i64 %group, %group.number
; CHECK: getelementptr float, ptr addrspace(1) %a, i64 %group.id
; CHECK: mul i64 %group.id, 3
define void @single(ptr addrspace(1) %a, ptr addrspace(1) %b) #1 {
  %group = call i64 @__lockstep_group_id(i32 0)
  %at = getelementptr float, ptr addrspace(1) %a, i64 %group
  %value = load float, ptr addrspace(1) %at
  %place = mul i64 %group, 3
  %to = getelementptr float, ptr addrspace(1) %b, i64 %place
  store float %value, ptr addrspace(1) %to
  ret void
}

; As many as are offered.
; CHECK: define void @six({{.*}}) #[[SIX:[0-9]+]]
; CHECK: %first = mul i64 %group, 6
; CHECK-NEXT: %id = add i64 %local, %first
define void @six(ptr addrspace(1) %a) #2 {
  %group = call i64 @__lockstep_group_id(i32 0)
  %local = call range(i64 0, 6) i64 @__lockstep_local_id(i32 0)
  %first = mul i64 %group, 6
  %id = add i64 %local, %first
  %at = getelementptr i64, ptr addrspace(1) %a, i64 %id
  store i64 %id, ptr addrspace(1) %at
  ret void
}

declare i64 @__lockstep_group_id(i32)
declare i64 @__lockstep_local_id(i32)
declare i64 @__lockstep_global_size(i32)

; CHECK-DAG: attributes #[[STRIDED]] = { "lockstep-coalesced-groups"="0,4,0" "lockstep-local-size"="256,1,1"
; CHECK-DAG: attributes #[[SINGLE]] = { "lockstep-coalesced-groups"="0,64,0" "lockstep-local-size"="64,1,1"
; CHECK-DAG: attributes #[[SIX]] = { "lockstep-coalesced-groups"="0,4,0" "lockstep-local-size"="24,1,1"
attributes #0 = { "lockstep-local-size"="64,1,1" "lockstep-neighbor-groups"="8,1,1" }
attributes #1 = { "lockstep-local-size"="1,1,1" "lockstep-neighbor-groups"="256,1,1" }
attributes #2 = { "lockstep-local-size"="6,1,1" "lockstep-neighbor-groups"="4,8,1" }
