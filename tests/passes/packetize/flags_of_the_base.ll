; RUN: lockstep-opt -passes=packetize %s | FileCheck %s
; The difference is wanted, and does not wrap, only in lanes above %g. Lane 0 is the base of all: its own may wrap, so it
; keeps no flag, although there is no mask.

; CHECK-LABEL: @kernel
; CHECK: %difference = sub i32 %id, %g
; CHECK: select <4 x i1>
define void @kernel(ptr addrspace(1) %p, i32 %g) "lockstep-sub-group-size"="4" {
  %lane = call i64 @__lockstep_lane()
  %id = trunc i64 %lane to i32
  %above = icmp ugt i32 %id, %g
  %difference = sub nuw i32 %id, %g
  %value = select i1 %above, i32 %difference, i32 0
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %lane
  store i32 %value, ptr addrspace(1) %place
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
