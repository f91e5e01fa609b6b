; RUN: lockstep-opt -passes='isolate-group-operations,work-item-loops' --local-size=64,1,1 %s | FileCheck %s
; Sub-groups beyond the bound skip the work whatever else decides about it, so they do not run. Below the bound no mask is
; needed.

; CHECK-LABEL: @kernel
; CHECK: region.1:
; CHECK: %[[COUNT:.*]] = call i64 @llvm.umin.i64(i64 %step, i64 64)
; CHECK: region.1.latch:
; CHECK: icmp ult i64 %{{.*}}, %{{.*}}
; CHECK: call void @llvm.masked.store{{.*}} splat (i1 true))
; CHECK: call void @llvm.masked.store{{.*}} <4 x i1> %mask
define void @kernel(ptr addrspace(1) %p, i64 noundef %step, i1 noundef %skips) convergent "lockstep-sub-group-size"="4" {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %one = insertelement <4 x i64> poison, i64 %id, i64 0
  %all = shufflevector <4 x i64> %one, <4 x i64> poison, <4 x i32> zeroinitializer
  %ids = add <4 x i64> %all, <i64 0, i64 1, i64 2, i64 3>
  %bound.one = insertelement <4 x i64> poison, i64 %step, i64 0
  %bound = shufflevector <4 x i64> %bound.one, <4 x i64> poison, <4 x i32> zeroinitializer
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %id
  store <4 x i32> zeroinitializer, ptr addrspace(1) %place
  call void @__lockstep_barrier(i32 2)
  %mask = icmp ult <4 x i64> %ids, %bound
  %bits = bitcast <4 x i1> %mask to i4
  %none = icmp eq i4 %bits, 0
  %either = select i1 %skips, i1 true, i1 %none
  br i1 %either, label %end, label %work
work:
  call void @llvm.masked.store.v4i32.p1(<4 x i32> splat (i32 1), ptr addrspace(1) %place, <4 x i1> %mask)
  br label %end
end:
  ret void
}

; A sub-group beyond the bound may have work, as it skips the work only if the other condition holds, too.
; CHECK-LABEL: @both
; CHECK-NOT: llvm.umin
; CHECK-NOT: splat (i1 true))
; CHECK: ret void
define void @both(ptr addrspace(1) %p, i64 noundef %step, i1 noundef %skips) convergent "lockstep-sub-group-size"="4" {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %one = insertelement <4 x i64> poison, i64 %id, i64 0
  %all = shufflevector <4 x i64> %one, <4 x i64> poison, <4 x i32> zeroinitializer
  %ids = add <4 x i64> %all, <i64 0, i64 1, i64 2, i64 3>
  %bound.one = insertelement <4 x i64> poison, i64 %step, i64 0
  %bound = shufflevector <4 x i64> %bound.one, <4 x i64> poison, <4 x i32> zeroinitializer
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %id
  store <4 x i32> zeroinitializer, ptr addrspace(1) %place
  call void @__lockstep_barrier(i32 2)
  %mask = icmp ult <4 x i64> %ids, %bound
  %bits = bitcast <4 x i1> %mask to i4
  %none = icmp eq i4 %bits, 0
  %either = select i1 %skips, i1 %none, i1 false
  br i1 %either, label %end, label %work
work:
  call void @llvm.masked.store.v4i32.p1(<4 x i32> splat (i32 1), ptr addrspace(1) %place, <4 x i1> %mask)
  br label %end
end:
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare void @__lockstep_barrier(i32) convergent nounwind
