; RUN: lockstep-opt -passes=packetize %s | FileCheck %s
; The lane number as a divisor becomes a constant vector with a 0 in it. The lane that has it is not active, but a vector
; division by 0 in any lane is undefined for all.

; CHECK-LABEL: @kernel
; CHECK: udiv <4 x i64> %{{.*}}, <i64 2, i64 1, i64 2, i64 3>
define void @kernel(ptr addrspace(1) %p, i64 %n) "lockstep-sub-group-size"="4" {
entry:
  %lane = call i64 @__lockstep_lane()
  %active = icmp ne i64 %lane, 0
  call void @__lockstep_mask(i1 %active)
  %q = udiv i64 %n, %lane
  %place = getelementptr i64, ptr addrspace(1) %p, i64 %lane
  store i64 %q, ptr addrspace(1) %place
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare void @__lockstep_mask(i1)
