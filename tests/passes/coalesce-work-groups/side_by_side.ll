; RUN: lockstep-opt -passes='coalesce-work-groups' %s | FileCheck %s
; Groups whose rows are a line of the cache each, beside the next group's: four become one group, told apart by the local id
; of the dimension that they do not use.

; CHECK-DAG: @tile.of.groups = internal addrspace(3) global [1024 x i8] undef, align 4
@tile = internal addrspace(3) global [4 x [16 x float]] undef, align 4

; CHECK-LABEL: @kernel
; CHECK: %group.number = call range(i64 0, 4) i64 @__lockstep_local_id(i32 2)
; CHECK: mul nuw i64 %group.number, 256
; CHECK: %first = call i64 @__lockstep_group_id(i32 0)
; CHECK-NEXT: %group.id = add nuw i64 %first, %group.number
; CHECK: mul i64 %group.id, 16
; CHECK: add i64 %above, 0
; CHECK: ret void
define void @kernel(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %pitch) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %z = call i64 @__lockstep_local_id(i32 2)
  %first = call i64 @__lockstep_group_id(i32 0)
  %second = call i64 @__lockstep_group_id(i32 1)
  %left = mul i64 %first, 16
  %column = add i64 %left, %x
  %top = mul i64 %second, 4
  %above = add i64 %top, %y
  %row = add i64 %above, %z
  %line = mul i64 %row, %pitch
  %index = add i64 %line, %column
  %narrow = trunc i64 %index to i32
  %wide = sext i32 %narrow to i64
  %from = getelementptr float, ptr addrspace(1) %a, i64 %wide
  %value = load float, ptr addrspace(1) %from
  %at = getelementptr [16 x float], ptr addrspace(3) @tile, i64 %y, i64 %x
  store float %value, ptr addrspace(3) %at
  call void @__lockstep_barrier(i32 1)
  %other.at = getelementptr [16 x float], ptr addrspace(3) @tile, i64 3, i64 %x
  %other = load float, ptr addrspace(3) %other.at
  %to = getelementptr float, ptr addrspace(1) %b, i64 %index
  store float %other, ptr addrspace(1) %to
  ret void
}

; Rows of four lines each are wide enough.
; CHECK-LABEL: @wide_rows
; CHECK-NOT: %group.id
; CHECK: ret void
define void @wide_rows(ptr addrspace(1) %a, ptr addrspace(1) %b) #1 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %left = mul i64 %group, 64
  %column = add i64 %left, %x
  %from = getelementptr float, ptr addrspace(1) %a, i64 %column
  %value = load float, ptr addrspace(1) %from
  %to = getelementptr float, ptr addrspace(1) %b, i64 %column
  store float %value, ptr addrspace(1) %to
  ret void
}

; The next group's rows are somewhere else.
; CHECK-LABEL: @apart
; CHECK-NOT: %group.id
; CHECK: ret void
define void @apart(ptr addrspace(1) %a, ptr addrspace(1) %b) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %left = mul i64 %group, 1024
  %column = add i64 %left, %x
  %from = getelementptr float, ptr addrspace(1) %a, i64 %column
  %value = load float, ptr addrspace(1) %from
  %to = getelementptr float, ptr addrspace(1) %b, i64 %column
  store float %value, ptr addrspace(1) %to
  ret void
}

; With a loop it is another question, which was not asked yet.
; CHECK-LABEL: @loop
; CHECK-NOT: %group.id
; CHECK: ret void
define void @loop(ptr addrspace(1) %a, ptr addrspace(1) %b) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %left = mul i64 %group, 16
  %column = add i64 %left, %x
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %from = getelementptr [64 x float], ptr addrspace(1) %a, i64 %k, i64 %column
  %value = load float, ptr addrspace(1) %from
  %to = getelementptr [64 x float], ptr addrspace(1) %b, i64 %k, i64 %column
  store float %value, ptr addrspace(1) %to
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, 64
  br i1 %more, label %loop, label %end
end:
  ret void
}

declare void @__lockstep_barrier(i32) convergent nounwind
declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)

; CHECK: attributes #0 = {{.*}}"lockstep-coalesced-groups"="0,4,2" "lockstep-local-size"="16,4,4"
attributes #0 = { "lockstep-local-size"="16,4,1" "lockstep-neighbor-groups"="4,1,1" "lockstep-sub-group-size"="16" }
attributes #1 = { "lockstep-local-size"="64,4,1" "lockstep-neighbor-groups"="4,1,1" "lockstep-sub-group-size"="16" }
