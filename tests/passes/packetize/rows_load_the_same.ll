; RUN: lockstep-opt -passes=packetize %s | FileCheck %s
; Lanes 0 and 2, and 1 and 3, load the same element: it is wanted if one of the two is active.

; CHECK-LABEL: @kernel
; CHECK: [[A:%wide.mask.*]] = shufflevector <4 x i1> [[MASK:%.*]], <4 x i1> zeroinitializer, <4 x i32> <i32 0, i32 1, i32 4, i32 4>
; CHECK: [[B:%wide.mask.*]] = shufflevector <4 x i1> [[MASK]], <4 x i1> zeroinitializer, <4 x i32> <i32 2, i32 3, i32 4, i32 4>
; CHECK: [[BOTH:%.*]] = or <4 x i1> [[A]], [[B]]
; CHECK: call <4 x i32> @llvm.masked.load.v4i32.p1({{.*}}<4 x i1> [[BOTH]]
define void @kernel(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) "lockstep-sub-group-size"="4" {
  %lane = call i64 @__lockstep_lane()
  %narrow = trunc i64 %lane to i32
  %c = icmp ult i32 %narrow, %n
  br label %block
block:
  call void @__lockstep_mask(i1 %c)
  %column = and i64 %lane, 1
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %column
  %value = load i32, ptr addrspace(1) %place
  %to = getelementptr i32, ptr addrspace(1) %q, i64 %lane
  store i32 %value, ptr addrspace(1) %to
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare void @__lockstep_mask(i1)
