; RUN: lockstep-opt -passes=packetize %s | FileCheck %s
; In a block with a mask only active lanes touch memory; what is stored at a uniform address comes from the first of
; them; nobody divides by what an idle lane holds.

; CHECK-LABEL: @kernel
; CHECK: %loaded{{.*}} = call <4 x i32> @llvm.masked.load.v4i32.p1(
; CHECK: select <4 x i1> {{.*}}, <4 x i64> splat (i64 2)
; CHECK: udiv <4 x i64>
; CHECK: call void @llvm.masked.store.v4i32.p1
; CHECK: [[FIRST:%first.lane.*]] = call i64 @llvm.cttz.i64
; CHECK: extractelement <4 x i32> {{.*}}, i64 [[FIRST]]
; CHECK: store i32
define void @kernel(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) "lockstep-sub-group-size"="4" {
  %lane = call i64 @__lockstep_lane()
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %lane
  %narrow = trunc i64 %lane to i32
  %c = icmp ult i32 %narrow, %n
  br label %block
block:
  call void @__lockstep_mask(i1 %c)
  %loaded = load i32, ptr addrspace(1) %place
  %dividend = zext i32 %n to i64
  %divisor = zext i32 %loaded to i64
  %wide = udiv i64 %dividend, %divisor
  %quotient = trunc i64 %wide to i32
  store i32 %quotient, ptr addrspace(1) %place
  store i32 %loaded, ptr addrspace(1) %q
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare void @__lockstep_mask(i1)
