; RUN: lockstep-opt -passes='isolate-group-operations,work-item-loops,instcombine,simplifycfg' --local-size=20,1,1 %s | FileCheck %s
; The full sub-group stores 16, the other one 4.

; CHECK-LABEL: @kernel
; CHECK: store i64 16
; CHECK: store i64 4
define void @kernel(ptr addrspace(1) %p) "lockstep-sub-group-size"="16" {
  %active = call i64 @__lockstep_active_lanes()
  %id = call i64 @__lockstep_local_id(i32 0)
  %place = getelementptr i64, ptr addrspace(1) %p, i64 %id
  store i64 %active, ptr addrspace(1) %place
  ret void
}

declare i64 @__lockstep_active_lanes() nounwind willreturn memory(none)
declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
