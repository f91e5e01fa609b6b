; RUN: lockstep-opt -passes='packetize' %s | FileCheck %s
; Vectors of integers are divided as doubles (32 bits) or floats (16 bits); the reciprocal of a divisor that all lanes
; share is one unit too large. 64 bits stay a division of integers, constants are left to the code generator.

; CHECK-LABEL: @divides
; CHECK: fdiv <16 x double>
; CHECK: fptosi <16 x double>
; CHECK: fdiv double 1.0
; CHECK: add i64 %{{.*}}, 1
; CHECK: fmul <16 x double>
; CHECK: fptoui <16 x double>
; CHECK: %remainder = sub <16 x i32>
; CHECK: fdiv <16 x float>
; CHECK: udiv <16 x i64>
; CHECK: udiv <16 x i32> %{{.*}}, splat (i32 7)
define void @divides(ptr addrspace(1) %p, i32 %same, ptr addrspace(1) %q) #0 {
entry:
  %lane = call i64 @__lockstep_lane()
  %a.at = getelementptr i32, ptr addrspace(1) %p, i64 %lane
  %a = load i32, ptr addrspace(1) %a.at
  %b.at = getelementptr i32, ptr addrspace(1) %q, i64 %lane
  %b = load i32, ptr addrspace(1) %b.at
  %signed = sdiv i32 %a, %b
  %rest = urem i32 %a, %same
  %a16 = trunc i32 %a to i16
  %b16 = trunc i32 %b to i16
  %short = udiv i16 %a16, %b16
  %a64 = zext i32 %a to i64
  %b64 = zext i32 %b to i64
  %long = udiv i64 %a64, %b64
  %constant = udiv i32 %a, 7
  %short32 = zext i16 %short to i32
  %long32 = trunc i64 %long to i32
  %sum0 = add i32 %signed, %rest
  %sum1 = add i32 %sum0, %short32
  %sum2 = add i32 %sum1, %long32
  %sum3 = add i32 %sum2, %constant
  store i32 %sum3, ptr addrspace(1) %a.at
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)

attributes #0 = { "lockstep-sub-group-size"="16" "target-cpu"="znver5" }
