; RUN: lockstep-opt -passes='choose-lane-dimension' %s | FileCheck %s
; A launch without a local size chose rows of 64. It should choose square groups if rows access memory in several
; places, and squares less so.

declare i64 @__lockstep_local_id(i32) #9
declare i64 @__lockstep_group_id(i32) #9
declare void @__lockstep_barrier(i32) #8

; Rows are read, and columns written.
; CHECK: define void @transpose({{.*}}) [[SQUARES:#[0-9]+]]
define void @transpose(ptr addrspace(1) %a, ptr addrspace(1) %c, i64 %n) #0 {
  %id = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %first = mul i64 %group, 64
  %x = add i64 %first, %id
  %y = call i64 @__lockstep_group_id(i32 1)
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

; Rows are dimension 0: in square groups, lanes are along dimension 1.
; CHECK: define void @fill({{.*}}) [[SQUARES]]
define void @fill(ptr addrspace(1) %c, i64 %n) #0 {
  %y = call i64 @__lockstep_local_id(i32 0)
  %x = call i64 @__lockstep_group_id(i32 1)
  %row = mul i64 %y, %n
  %index = add i64 %row, %x
  %at = getelementptr float, ptr addrspace(1) %c, i64 %index
  store float 1.0, ptr addrspace(1) %at
  ret void
}

; Groups of a kernel with barriers keep their shape.
; CHECK: define void @barriers({{.*}}) [[ROWS:#[0-9]+]]
define void @barriers(ptr addrspace(1) %c, i64 %n) #0 {
  %y = call i64 @__lockstep_local_id(i32 0)
  %x = call i64 @__lockstep_group_id(i32 1)
  call void @__lockstep_barrier(i32 1)
  %row = mul i64 %y, %n
  %index = add i64 %row, %x
  %at = getelementptr float, ptr addrspace(1) %c, i64 %index
  store float 1.0, ptr addrspace(1) %at
  ret void
}

; A copy.
; CHECK: define void @copy({{.*}}) [[ROWS]]
define void @copy(ptr addrspace(1) %a, ptr addrspace(1) %c, i64 %n) #0 {
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_group_id(i32 1)
  %row = mul i64 %y, %n
  %index = add i64 %row, %x
  %a.at = getelementptr float, ptr addrspace(1) %a, i64 %index
  %value = load float, ptr addrspace(1) %a.at
  %c.at = getelementptr float, ptr addrspace(1) %c, i64 %index
  store float %value, ptr addrspace(1) %c.at
  ret void
}

; Squares gather from a table as rows do.
; CHECK: define void @lookup({{.*}}) [[ROWS]]
define void @lookup(ptr addrspace(1) %table, ptr addrspace(1) %c, i64 %n) #0 {
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_group_id(i32 1)
  %row = mul i64 %y, %n
  %index = add i64 %row, %x
  %c.at = getelementptr i64, ptr addrspace(1) %c, i64 %index
  %key = load i64, ptr addrspace(1) %c.at
  %table.at = getelementptr i64, ptr addrspace(1) %table, i64 %key
  %value = load i64, ptr addrspace(1) %table.at
  store i64 %value, ptr addrspace(1) %c.at
  ret void
}

; CHECK-DAG: attributes [[SQUARES]] = { "lockstep-local-size"="64,1,1" "lockstep-suits-squares" }
; CHECK-DAG: attributes [[ROWS]] = { "lockstep-local-size"="64,1,1" }
attributes #0 = { "lockstep-local-size"="64,1,1" }
attributes #8 = { convergent nounwind }
attributes #9 = { nounwind willreturn memory(none) }
