; RUN: lockstep-opt -passes=packetize %s 2>&1 | FileCheck %s
; What costs an access for each lane is remarked; a contiguous or a uniform access is not.

; CHECK: remark: lanes: gather: every lane loads from its own address
; CHECK: remark: lanes: scatter: every lane stores to its own address
; CHECK-NOT: remark:
define void @kernel(ptr addrspace(1) %p, ptr addrspace(1) %q) "lockstep-sub-group-size"="4" {
  %lane = call i64 @__lockstep_lane()
  %uniform = load i32, ptr addrspace(1) %p
  %next.place = getelementptr i32, ptr addrspace(1) %p, i64 %lane
  %next = load i32, ptr addrspace(1) %next.place
  %place = getelementptr i32, ptr addrspace(1) %p, i32 %next
  %any = load i32, ptr addrspace(1) %place
  %sum = add i32 %any, %uniform
  %other = getelementptr i32, ptr addrspace(1) %q, i32 %next
  store i32 %sum, ptr addrspace(1) %other
  %result = getelementptr i32, ptr addrspace(1) %q, i64 %lane
  store i32 %sum, ptr addrspace(1) %result
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
