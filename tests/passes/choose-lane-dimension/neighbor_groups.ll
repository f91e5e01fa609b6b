; RUN: env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes='choose-lane-dimension' %s | FileCheck %s
; Groups of 256 x 1 whose work-items access columns: lanes are along dimension 1, which neighbor groups fill.

; CHECK: define void @rows_first({{.*}}) [[TURNED:#[0-9]+]]
; CHECK: %row = call i64 @__lockstep_local_id(i32 1)
; CHECK: %column = call i64 @__lockstep_group_id(i32 0)
define void @rows_first(ptr addrspace(1) %a, i64 %n) #0 {
  %row = call i64 @__lockstep_local_id(i32 0)
  %column = call i64 @__lockstep_group_id(i32 1)
  %line = mul i64 %row, %n
  %index = add i64 %line, %column
  %at = getelementptr float, ptr addrspace(1) %a, i64 %index
  store float 1.0, ptr addrspace(1) %at
  ret void
}

; The launch offers too few groups.
; CHECK: define void @few({{.*}}) [[FEW:#[0-9]+]]
; CHECK: %row = call i64 @__lockstep_local_id(i32 0)
define void @few(ptr addrspace(1) %a, i64 %n) #1 {
  %row = call i64 @__lockstep_local_id(i32 0)
  %column = call i64 @__lockstep_group_id(i32 1)
  %line = mul i64 %row, %n
  %index = add i64 %line, %column
  %at = getelementptr float, ptr addrspace(1) %a, i64 %index
  store float 1.0, ptr addrspace(1) %at
  ret void
}

; Work-items know their group by its barrier.
; CHECK: define void @barrier({{.*}}) [[SAME:#[0-9]+]]
; CHECK: %row = call i64 @__lockstep_local_id(i32 0)
define void @barrier(ptr addrspace(1) %a, i64 %n) #0 {
  %row = call i64 @__lockstep_local_id(i32 0)
  %column = call i64 @__lockstep_group_id(i32 1)
  %line = mul i64 %row, %n
  %index = add i64 %line, %column
  %at = getelementptr float, ptr addrspace(1) %a, i64 %index
  call void @__lockstep_barrier(i32 1)
  store float 1.0, ptr addrspace(1) %at
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)
declare void @__lockstep_barrier(i32) convergent nounwind

attributes #0 = { "lockstep-local-size"="256,1,1" "lockstep-neighbor-groups"="1,16,1" }
attributes #1 = { "lockstep-local-size"="256,1,1" "lockstep-neighbor-groups"="1,8,1" }

; CHECK-DAG: attributes [[TURNED]] = {{.*}}"lockstep-lane-dimension"="1" "lockstep-local-size"="1,256,1"
; CHECK-DAG: attributes [[FEW]] = { "lockstep-local-size"="256,1,1" "lockstep-neighbor-groups"="1,8,1"
; CHECK-DAG: attributes [[SAME]] = { "lockstep-local-size"="256,1,1" "lockstep-neighbor-groups"="1,16,1"
