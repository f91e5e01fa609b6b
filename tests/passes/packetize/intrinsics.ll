; RUN: lockstep-opt -passes=packetize %s | FileCheck %s
; An intrinsic with a vector form, one that stands for its operand, one that says something about a single work-item, one
; that is computed for each lane, and one with an effect, which only active lanes have.

; CHECK-LABEL: @kernel
; CHECK: call <4 x i32> @llvm.smax.v4i32
; CHECK-NOT: llvm.expect
; CHECK-NOT: llvm.assume
; CHECK-NOT: llvm.invariant.start
; CHECK-COUNT-4: call i32 @llvm.sshl.sat.i32
; CHECK: lanes:
; CHECK: call void @llvm.prefetch
define void @kernel(ptr addrspace(1) %p) "lockstep-sub-group-size"="4" {
  %lane = call i64 @__lockstep_lane()
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %lane
  %value = load i32, ptr addrspace(1) %place
  %max = call i32 @llvm.smax.i32(i32 %value, i32 5)
  %expected = call i32 @llvm.expect.i32(i32 %max, i32 5)
  %some = icmp sgt i32 %expected, 0
  call void @llvm.assume(i1 %some)
  %mark = call ptr @llvm.invariant.start.p1(i64 4, ptr addrspace(1) %place)
  %shifted = call i32 @llvm.sshl.sat.i32(i32 %expected, i32 %value)
  store i32 %shifted, ptr addrspace(1) %place
  br label %masked
masked:
  call void @__lockstep_mask(i1 %some)
  call void @llvm.prefetch.p1(ptr addrspace(1) %place, i32 0, i32 3, i32 1)
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare void @__lockstep_mask(i1)
