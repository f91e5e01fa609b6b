; RUN: lockstep-opt -passes=instrument-accesses %s | FileCheck %s
; One call may run several groups only where nobody is told of which group an access is.

; CHECK: define spir_kernel void @apart({{.*}} #[[SEVERAL:[0-9]+]]
define spir_kernel void @apart(ptr addrspace(1) %to) "lockstep-local-size"="64,1,1" "lockstep-neighbor-groups"="1,8,1" {
  %id = call i64 @__lockstep_global_id(i32 0)
  %place = getelementptr i32, ptr addrspace(1) %to, i64 %id
  %read = load i32, ptr addrspace(1) %place
  ret void
}

; CHECK: define spir_kernel void @compared({{.*}} #[[ONE:[0-9]+]]
define spir_kernel void @compared(ptr addrspace(1) %to, i64 %at) "lockstep-local-size"="64,1,1" "lockstep-neighbor-groups"="1,8,1" {
  %id = call i64 @__lockstep_local_id(i32 0)
  %square = mul i64 %id, %id
  %place = getelementptr i32, ptr addrspace(1) %to, i64 %square
  store i32 1, ptr addrspace(1) %place
  ret void
}

; CHECK: attributes #[[SEVERAL]] = {{.*}}"lockstep-neighbor-groups"="1,8,1"
; CHECK: attributes #[[ONE]] = {{.*}}"lockstep-neighbor-groups"="1,1,1"

declare i64 @__lockstep_global_id(i32)
declare i64 @__lockstep_local_id(i32)
