; RUN: lockstep-opt -passes=packetize %s | FileCheck %s
; Sub-group operations are operations on the vector over the lanes: no loop over lanes and no branch. Lanes that are not
; active count as the identity of a reduction and have no bit in a ballot.

; CHECK-LABEL: @kernel
; CHECK: [[MASK:%.*]] = icmp ult <8 x i32>
; CHECK: [[LOADED:%loaded.*]] = call <8 x i32> @llvm.masked.load.v8i32.p1
; CHECK: [[FILLED:%.*]] = select <8 x i1> [[MASK]], <8 x i32> [[LOADED]], <8 x i32> zeroinitializer
; CHECK: [[SUM:%reduced]] = call i32 @llvm.vector.reduce.add.v8i32(<8 x i32> [[FILLED]])
; CHECK: [[BITS:%.*]] = select <8 x i1> [[MASK]], <8 x i1> {{.*}}, <8 x i1> zeroinitializer
; CHECK: bitcast <8 x i1> [[BITS]] to i8
; CHECK: shufflevector <8 x i32> {{.*}}, <8 x i32> poison, <8 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6>
; CHECK: [[OF:%of.lane]] = extractelement <8 x i32>
; CHECK-NOT: call {{.*}}@__lockstep_sub_group
; CHECK-NOT: lanes.left
define void @kernel(ptr addrspace(1) %p, i32 %n) "lockstep-sub-group-size"="8" {
  %lane = call i64 @__lockstep_lane()
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %lane
  %narrow = trunc i64 %lane to i32
  %c = icmp ult i32 %narrow, %n
  br label %block
block:
  call void @__lockstep_mask(i1 %c)
  %loaded = load i32, ptr addrspace(1) %place
  %sum = call i32 @__lockstep_sub_group_reduce_i32(i32 0, i32 0, i32 %loaded)
  %odd = trunc i32 %loaded to i1
  %bits = call i64 @__lockstep_sub_group_ballot(i1 %odd)
  %partner = xor i32 %narrow, 1
  %swapped = call i32 @__lockstep_sub_group_shuffle_i32(i32 %loaded, i32 %partner)
  %first = call i32 @__lockstep_sub_group_broadcast_i32(i32 %loaded, i32 %n)
  %count = trunc i64 %bits to i32
  %a = add i32 %sum, %count
  %b = add i32 %a, %swapped
  %d = add i32 %b, %first
  store i32 %d, ptr addrspace(1) %place
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare void @__lockstep_mask(i1)
declare i32 @__lockstep_sub_group_reduce_i32(i32, i32, i32) convergent nomerge nounwind willreturn memory(none)
declare i64 @__lockstep_sub_group_ballot(i1) convergent nomerge nounwind willreturn memory(none)
declare i32 @__lockstep_sub_group_shuffle_i32(i32, i32) convergent nomerge nounwind willreturn memory(none)
declare i32 @__lockstep_sub_group_broadcast_i32(i32, i32) convergent nomerge nounwind willreturn memory(none)
