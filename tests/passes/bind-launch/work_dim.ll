; RUN: lockstep-opt -nvidia=sm_90 -passes=bind-launch %s | FileCheck %s
; CUDA does not know the number of dimensions: a hidden parameter behind the arguments has it. Ids of a plain launch stay.

; CHECK: define ptx_kernel void @kernel(ptr addrspace(1) %out, i32 %0)
; CHECK: [[ID:%.*]] = call i64 @__lockstep_group_id(i32 0)
; CHECK: store i32 %0, ptr addrspace(1) %out
declare i32 @__lockstep_work_dim()
declare i64 @__lockstep_group_id(i32)
define void @kernel(ptr addrspace(1) %out) {
  %id = call i64 @__lockstep_group_id(i32 0)
  %dimensions = call i32 @__lockstep_work_dim()
  store i32 %dimensions, ptr addrspace(1) %out
  %next = getelementptr i64, ptr addrspace(1) %out, i64 1
  store i64 %id, ptr addrspace(1) %next
  ret void
}
