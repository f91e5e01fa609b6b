; RUN: lockstep-opt -passes='isolate-group-operations,work-item-loops,verify' --local-size=64,1,1 %s | FileCheck %s
; The bound is the bits of a vector whose elements are equal. They are not the bits of one element, so all sub-groups run.

; CHECK-LABEL: @kernel
; CHECK-NOT: bitcast i8
; CHECK-NOT: umin
; CHECK: bitcast <8 x i8> %{{.*}} to i64
define void @kernel(ptr addrspace(1) %p, i8 noundef %byte) convergent "lockstep-sub-group-size"="4" {
entry:
  %byte.one = insertelement <8 x i8> poison, i8 %byte, i64 0
  %bytes = shufflevector <8 x i8> %byte.one, <8 x i8> poison, <8 x i32> zeroinitializer
  %id = call i64 @__lockstep_local_id(i32 0)
  %one = insertelement <4 x i64> poison, i64 %id, i64 0
  %all = shufflevector <4 x i64> %one, <4 x i64> poison, <4 x i32> zeroinitializer
  %ids = add <4 x i64> %all, <i64 0, i64 1, i64 2, i64 3>
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %id
  store <4 x i32> zeroinitializer, ptr addrspace(1) %place
  call void @__lockstep_barrier(i32 2)
  %step = bitcast <8 x i8> %bytes to i64
  %bound.one = insertelement <4 x i64> poison, i64 %step, i64 0
  %bound = shufflevector <4 x i64> %bound.one, <4 x i64> poison, <4 x i32> zeroinitializer
  %mask = icmp ult <4 x i64> %ids, %bound
  %bits = bitcast <4 x i1> %mask to i4
  %none = icmp eq i4 %bits, 0
  br i1 %none, label %end, label %work
work:
  call void @llvm.masked.store.v4i32.p1(<4 x i32> splat (i32 1), ptr addrspace(1) %place, <4 x i1> %mask)
  br label %end
end:
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare void @__lockstep_barrier(i32) convergent nounwind
