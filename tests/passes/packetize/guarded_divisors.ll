; RUN: lockstep-opt -passes='packetize' %s | FileCheck %s
; guard-integer-division lets the divisor of a signed division depend on the dividend. Floats do not trap: the divisor is the
; same for all lanes, and a reciprocal replaces the division. A select of the program is left as it is.

; CHECK-LABEL: @guarded(
; CHECK: fdiv double 1.0
; CHECK: fmul <16 x double>
; CHECK: freeze <16 x i32> %remainder
define void @guarded(ptr addrspace(1) %p, i32 %n) #0 {
entry:
  %lane = call i64 @__lockstep_lane()
  %at = getelementptr i32, ptr addrspace(1) %p, i64 %lane
  %x = load i32, ptr addrspace(1) %at
  %zero = icmp eq i32 %n, 0
  %least = icmp eq i32 %x, -2147483648
  %minus = icmp eq i32 %n, -1
  %both = and i1 %minus, %least
  %bad = or i1 %zero, %both
  %divisor = select i1 %bad, i32 1, i32 %n
  %rest = srem i32 %x, %divisor
  store i32 %rest, ptr addrspace(1) %at
  ret void
}

; CHECK-LABEL: @of_the_program(
; CHECK: fdiv <16 x double>
define void @of_the_program(ptr addrspace(1) %p, i32 %n) #0 {
entry:
  %lane = call i64 @__lockstep_lane()
  %at = getelementptr i32, ptr addrspace(1) %p, i64 %lane
  %x = load i32, ptr addrspace(1) %at
  %zero = icmp eq i32 %n, 0
  %positive = icmp sgt i32 %x, 0
  %minus = icmp eq i32 %n, 5
  %both = and i1 %minus, %positive
  %bad = or i1 %zero, %both
  %divisor = select i1 %bad, i32 1, i32 %n
  %rest = srem i32 %x, %divisor
  store i32 %rest, ptr addrspace(1) %at
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)

attributes #0 = { "lockstep-sub-group-size"="16" "target-cpu"="znver5" }
