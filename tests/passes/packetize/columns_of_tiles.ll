; RUN: lockstep-opt -passes=packetize %s | FileCheck %s
; to[x * n + y]: no lane's element has neighbors, so the scatter has no second version. interleave-sub-groups transposes it.
; In to[x * n], n may be 1.

; CHECK-LABEL: @column(
; CHECK-NOT: neighbors
; CHECK: call void @llvm.masked.scatter
; CHECK-NOT: neighbors
; CHECK: ret void
define void @column(ptr addrspace(1) %from, ptr addrspace(1) %to, i32 %n) "lockstep-sub-group-size"="16" {
  %lane = call i64 @__lockstep_lane()
  %y = call i64 @__lockstep_local_id(i32 1)
  %x = trunc i64 %lane to i32
  %row = trunc i64 %y to i32
  %from.at = getelementptr float, ptr addrspace(1) %from, i64 %lane
  %value = load float, ptr addrspace(1) %from.at
  %start = mul i32 %x, %n
  %place = add i32 %start, %row
  %index = zext i32 %place to i64
  %at = getelementptr float, ptr addrspace(1) %to, i64 %index
  store float %value, ptr addrspace(1) %at
  ret void
}

; CHECK-LABEL: @stride(
; CHECK: neighbors
; CHECK: ret void
define void @stride(ptr addrspace(1) %from, ptr addrspace(1) %to, i32 %n) "lockstep-sub-group-size"="16" {
  %lane = call i64 @__lockstep_lane()
  %x = trunc i64 %lane to i32
  %from.at = getelementptr float, ptr addrspace(1) %from, i64 %lane
  %value = load float, ptr addrspace(1) %from.at
  %start = mul i32 %x, %n
  %index = zext i32 %start to i64
  %at = getelementptr float, ptr addrspace(1) %to, i64 %index
  store float %value, ptr addrspace(1) %at
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
