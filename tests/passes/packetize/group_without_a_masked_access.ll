; RUN: env LOCKSTEP_CPU=haswell lockstep-opt -passes=packetize %s | FileCheck %s
; Two neighbors of bytes, which AVX2 cannot load under a mask: each of them is loaded lane by lane.

; CHECK-LABEL: @kernel
; CHECK: [[ONE:%.*]] = insertelement <4 x i8> {{.*}}, i64 3
; CHECK: [[TWO:%.*]] = insertelement <4 x i8> {{.*}}, i64 3
; CHECK: [[SUM:%.*]] = add <4 x i8> [[ONE]], [[TWO]]
; CHECK: extractelement <4 x i8> [[SUM]]
define void @kernel(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) "lockstep-sub-group-size"="4" {
  %lane = call i64 @__lockstep_lane()
  %pair = getelementptr [2 x i8], ptr addrspace(1) %p, i64 %lane
  %second = getelementptr i8, ptr addrspace(1) %pair, i64 1
  %to = getelementptr i8, ptr addrspace(1) %q, i64 %lane
  %narrow = trunc i64 %lane to i32
  %c = icmp ult i32 %narrow, %n
  br label %block
block:
  call void @__lockstep_mask(i1 %c)
  %a = load i8, ptr addrspace(1) %pair
  %b = load i8, ptr addrspace(1) %second
  %sum = add i8 %a, %b
  store i8 %sum, ptr addrspace(1) %to
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare void @__lockstep_mask(i1)
