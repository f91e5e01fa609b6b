; RUN: lockstep-opt -passes=packetize %s | FileCheck %s
; The lane number as a divisor becomes a constant vector with a 0 in it. The lane that has it is not active, but a vector
; division by 0 in any lane is undefined for all.

; CHECK-LABEL: @kernel
; CHECK: udiv <4 x i32> %{{.*}}, <i32 1, i32 1, i32 2, i32 3>
define void @kernel(ptr addrspace(1) %p, i32 %n) "lockstep-sub-group-size"="4" {
entry:
  %lane = call i64 @__lockstep_lane()
  %active = icmp ne i64 %lane, 0
  call void @__lockstep_mask(i1 %active)
  %divisor = trunc i64 %lane to i32
  %q = udiv i32 %n, %divisor
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %lane
  store i32 %q, ptr addrspace(1) %place
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare void @__lockstep_mask(i1)
