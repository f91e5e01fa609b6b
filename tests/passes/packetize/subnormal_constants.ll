; RUN: lockstep-opt -passes='lane-ids,packetize,instsimplify' %s | FileCheck %s
; Numbers that depend on the lane alone are constants. The kernel flushes subnormal numbers, so their product is zero.

; CHECK-LABEL: @product(
; CHECK: store <4 x float> zeroinitializer
define void @product(ptr addrspace(1) %out) #0 {
  %id = call i64 @__lockstep_local_id(i32 0)
  %low = trunc i64 %id to i32
  %bit = and i32 %low, 1
  %bits = or i32 %bit, 2097152
  %small = bitcast i32 %bits to float
  %result = fmul float %small, 4.0
  %at = getelementptr float, ptr addrspace(1) %out, i64 %id
  store float %result, ptr addrspace(1) %at
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)

attributes #0 = { "lockstep-local-size"="64,1,1" "lockstep-sub-group-size"="4" "denormal-fp-math-f32"="preserve-sign,preserve-sign" }
