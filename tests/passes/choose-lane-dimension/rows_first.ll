; RUN: lockstep-opt -passes='choose-lane-dimension' %s | FileCheck %s
; Rows are dimension 0 and columns dimension 1: lanes along dimension 1 access neighbors.

declare i64 @__lockstep_local_id(i32) #9
declare i64 @__lockstep_group_id(i32) #9
declare i64 @__lockstep_global_size(i32) #9
declare void @__lockstep_barrier(i32) #8
declare i32 @__lockstep_sub_group_id() #9

; CHECK: define void @product({{.*}}) [[TURNED:#[0-9]+]]
; CHECK: %row = call i64 @__lockstep_local_id(i32 1)
; CHECK: %column = call i64 @__lockstep_local_id(i32 0)
; CHECK: %group = call i64 @__lockstep_group_id(i32 1)
; CHECK: %depth = call i64 @__lockstep_global_size(i32 2)
define void @product(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i64 %n) #0 {
entry:
  %row = call i64 @__lockstep_local_id(i32 0)
  %column = call i64 @__lockstep_local_id(i32 1)
  %group = call i64 @__lockstep_group_id(i32 0)
  %depth = call i64 @__lockstep_global_size(i32 2)
  %first = mul i64 %group, 16
  %y = add i64 %first, %row
  %a.row = mul i64 %y, %n
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %a.index = add i64 %a.row, %k
  %a.at = getelementptr float, ptr addrspace(1) %a, i64 %a.index
  %of.a = load float, ptr addrspace(1) %a.at
  %b.row = mul i64 %k, %n
  %b.index = add i64 %b.row, %column
  %b.at = getelementptr float, ptr addrspace(1) %b, i64 %b.index
  %of.b = load float, ptr addrspace(1) %b.at
  %sum.next = call float @llvm.fma.f32(float %of.a, float %of.b, float %sum)
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %depth
  br i1 %more, label %loop, label %end
end:
  call void @__lockstep_barrier(i32 1)
  %c.index = add i64 %a.row, %column
  %c.at = getelementptr float, ptr addrspace(1) %c, i64 %c.index
  store float %sum.next, ptr addrspace(1) %c.at
  ret void
}

; Rows that are written as columns: the other dimension would be as slow. An access to one element would be no faster.
; CHECK: define void @transpose({{.*}}) [[SQUARES:#[0-9]+]]
; CHECK: %x = call i64 @__lockstep_local_id(i32 0)
define void @transpose(ptr addrspace(1) %a, ptr addrspace(1) %c, i64 %n) #0 {
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %a.row = mul i64 %y, %n
  %a.index = add i64 %a.row, %x
  %a.at = getelementptr float, ptr addrspace(1) %a, i64 %a.index
  %value = load float, ptr addrspace(1) %a.at
  %c.row = mul i64 %x, %n
  %c.index = add i64 %c.row, %y
  %c.at = getelementptr float, ptr addrspace(1) %c, i64 %c.index
  store float %value, ptr addrspace(1) %c.at
  ret void
}

; All work-items of a column access one element, and those of a row access neighbors.
; CHECK: define void @row({{.*}}) [[AS_IT_WAS:#[0-9]+]]
; CHECK: %x = call i64 @__lockstep_local_id(i32 0)
define void @row(ptr addrspace(1) %a) #0 {
  %x = call i64 @__lockstep_local_id(i32 0)
  %at = getelementptr float, ptr addrspace(1) %a, i64 %x
  store float 1.0, ptr addrspace(1) %at
  ret void
}

; The kernel observes its sub-groups.
; CHECK: define void @sub_groups({{.*}}) [[AS_IT_WAS]]
; CHECK: %row = call i64 @__lockstep_local_id(i32 0)
define void @sub_groups(ptr addrspace(1) %c, i64 %n) #0 {
  %row = call i64 @__lockstep_local_id(i32 0)
  %column = call i64 @__lockstep_local_id(i32 1)
  %id = call i32 @__lockstep_sub_group_id()
  %c.row = mul i64 %row, %n
  %c.index = add i64 %c.row, %column
  %c.at = getelementptr i32, ptr addrspace(1) %c, i64 %c.index
  store i32 %id, ptr addrspace(1) %c.at
  ret void
}

; With one work-item in dimension 0, sub-groups stay the same.
; CHECK: define void @one_row({{.*}}) [[IN_DIMENSION_2:#[0-9]+]]
; CHECK: call i64 @__lockstep_local_id(i32 0)
; CHECK: call i64 @__lockstep_group_id(i32 2)
define void @one_row(ptr addrspace(1) %c, i64 %n) #1 {
  %column = call i64 @__lockstep_local_id(i32 2)
  %row = call i64 @__lockstep_group_id(i32 0)
  %id = call i32 @__lockstep_sub_group_id()
  %c.row = mul i64 %row, %n
  %c.index = add i64 %c.row, %column
  %c.at = getelementptr i32, ptr addrspace(1) %c, i64 %c.index
  store i32 %id, ptr addrspace(1) %c.at
  ret void
}

; CHECK-DAG: attributes [[TURNED]] = { "lockstep-lane-dimension"="1" "lockstep-local-size"="8,16,1" "lockstep-neighbor-groups"="8,1,1" }
; CHECK-DAG: attributes [[SQUARES]] = { "lockstep-local-size"="16,8,1" "lockstep-neighbor-groups"="1,8,1" "lockstep-suits-squares" }
; CHECK-DAG: attributes [[AS_IT_WAS]] = { "lockstep-local-size"="16,8,1" "lockstep-neighbor-groups"="1,8,1" }
; CHECK-DAG: attributes [[IN_DIMENSION_2]] = { "lockstep-lane-dimension"="2" "lockstep-local-size"="64,1,1" "lockstep-neighbor-groups"="1,1,8" }
attributes #0 = { "lockstep-local-size"="16,8,1" "lockstep-neighbor-groups"="1,8,1" }
attributes #1 = { "lockstep-local-size"="1,1,64" "lockstep-neighbor-groups"="256,1,1" }
attributes #8 = { convergent nounwind }
attributes #9 = { nounwind willreturn memory(none) }
