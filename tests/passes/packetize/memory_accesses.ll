; RUN: lockstep-opt -passes=packetize %s | FileCheck %s
; The form of an access follows from the distances of its lanes.

; CHECK-LABEL: @kernel
; CHECK: %uniform = load i32, ptr addrspace(1) %p
; CHECK: %next{{.*}} = load <4 x i32>, ptr addrspace(1) %next.place
; CHECK: [[BACK:%.*]] = load <4 x i32>, ptr addrspace(1)
; CHECK: shufflevector <4 x i32> [[BACK]], <4 x i32> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
; CHECK: call <4 x i32> @llvm.masked.gather
; CHECK: call void @llvm.masked.scatter
; CHECK: store <4 x i32>
; CHECK-NOT: call i64 @__lockstep_lane
define void @kernel(ptr addrspace(1) %p, ptr addrspace(1) %q) "lockstep-sub-group-size"="4" {
  %lane = call i64 @__lockstep_lane()
  %uniform = load i32, ptr addrspace(1) %p
  %next.place = getelementptr i32, ptr addrspace(1) %p, i64 %lane
  %next = load i32, ptr addrspace(1) %next.place
  %back.index = sub i64 100, %lane
  %back.place = getelementptr i32, ptr addrspace(1) %p, i64 %back.index
  %back = load i32, ptr addrspace(1) %back.place
  %place = getelementptr i32, ptr addrspace(1) %p, i32 %next
  %any = load i32, ptr addrspace(1) %place
  store i32 %back, ptr addrspace(1) %place
  %a = add i32 %any, %uniform
  %result = getelementptr i32, ptr addrspace(1) %q, i64 %lane
  store i32 %a, ptr addrspace(1) %result
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
