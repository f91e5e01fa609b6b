; RUN: lockstep-opt -passes='packetize' %s | FileCheck %s
; If the upper halves of all active lanes are 0, numbers of 64 bits are divided as those of 32 bits.

; CHECK-LABEL: @same_divisor(
; CHECK: icmp ugt <16 x i64> %{{.*}}, splat (i64 4294967295)
; CHECK: icmp ugt i64 %{{.*}}, 4294967295
; CHECK: br i1 %any.is.wide, label %divide.64.bits, label %divide.32.bits
; CHECK: divide.64.bits:
; CHECK: urem <16 x i64>
; CHECK: divide.32.bits:
; CHECK: fmul <16 x double>
; CHECK: phi <16 x i64>
define void @same_divisor(ptr addrspace(1) %p, i64 %n) #0 {
entry:
  %lane = call i64 @__lockstep_lane()
  %at = getelementptr i64, ptr addrspace(1) %p, i64 %lane
  %x = load i64, ptr addrspace(1) %at
  %rest = urem i64 %x, %n
  store i64 %rest, ptr addrspace(1) %at
  ret void
}

; A lane that is not active may hold anything.
; CHECK-LABEL: @masked(
; CHECK: freeze <16 x i64>
; CHECK: freeze <16 x i64>
; CHECK: or <16 x i64>
; CHECK: and <16 x i1>
; CHECK: divide.64.bits:
; CHECK: sdiv <16 x i64>
; CHECK: divide.32.bits:
; CHECK: fdiv <16 x double>
; CHECK: fptoui <16 x double>
define void @masked(ptr addrspace(1) %p, i64 %from) #0 {
entry:
  %lane = call i64 @__lockstep_lane()
  %active = icmp ult i64 %lane, %from
  %any = call i1 @__lockstep_any_lane(i1 %active)
  br i1 %any, label %inside, label %end

inside:
  call void @__lockstep_mask(i1 %active)
  %at = getelementptr i64, ptr addrspace(1) %p, i64 %lane
  %x = load i64, ptr addrspace(1) %at
  %divisor = add i64 %x, 7
  %quotient = sdiv i64 %from, %divisor
  store i64 %quotient, ptr addrspace(1) %at
  br label %end

end:
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare i1 @__lockstep_any_lane(i1)
declare void @__lockstep_mask(i1)

attributes #0 = { "lockstep-sub-group-size"="16" "target-cpu"="znver5" }
