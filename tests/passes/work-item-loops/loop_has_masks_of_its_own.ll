; RUN: lockstep-opt -passes='isolate-group-operations,work-item-loops,verify' --local-size=64,1,1 %s | FileCheck %s
; Idle sub-groups are skipped in both kernels. The comparison is the mask of a store in one of them, so sub-groups whose lanes all
; work run a copy without it. In the other one it only enters a loop, which has a mask for each iteration: one copy is enough.

; CHECK-LABEL: @store(
; CHECK: call void @llvm.masked.store
; CHECK: call void @llvm.masked.store
; CHECK-LABEL: @loop(
; CHECK: umin
; CHECK-COUNT-1: call void @llvm.masked.store
; CHECK-NOT: call void @llvm.masked.store
define void @store(ptr addrspace(1) %p, i64 noundef %n) convergent "lockstep-sub-group-size"="4" {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %one = insertelement <4 x i64> poison, i64 %id, i64 0
  %all = shufflevector <4 x i64> %one, <4 x i64> poison, <4 x i32> zeroinitializer
  %ids = add <4 x i64> %all, <i64 0, i64 1, i64 2, i64 3>
  %bound.one = insertelement <4 x i64> poison, i64 %n, i64 0
  %bound = shufflevector <4 x i64> %bound.one, <4 x i64> poison, <4 x i32> zeroinitializer
  %mask = icmp ult <4 x i64> %ids, %bound
  %bits = bitcast <4 x i1> %mask to i4
  %none = icmp eq i4 %bits, 0
  br i1 %none, label %end, label %work
work:
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %id
  call void @llvm.masked.store.v4i32.p1(<4 x i32> splat (i32 1), ptr addrspace(1) %place, <4 x i1> %mask)
  br label %end
end:
  ret void
}

define void @loop(ptr addrspace(1) %p, i64 noundef %n) convergent "lockstep-sub-group-size"="4" {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %one = insertelement <4 x i64> poison, i64 %id, i64 0
  %all = shufflevector <4 x i64> %one, <4 x i64> poison, <4 x i32> zeroinitializer
  %ids = add <4 x i64> %all, <i64 0, i64 1, i64 2, i64 3>
  %bound.one = insertelement <4 x i64> poison, i64 %n, i64 0
  %bound = shufflevector <4 x i64> %bound.one, <4 x i64> poison, <4 x i32> zeroinitializer
  %mask = icmp ult <4 x i64> %ids, %bound
  %bits = bitcast <4 x i1> %mask to i4
  %none = icmp eq i4 %bits, 0
  br i1 %none, label %end, label %work
work:
  %i = phi i64 [ %id, %entry ], [ %next, %work ]
  %lanes = phi <4 x i64> [ %ids, %entry ], [ %next.lanes, %work ]
  %active = phi <4 x i1> [ %mask, %entry ], [ %stay, %work ]
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %i
  call void @llvm.masked.store.v4i32.p1(<4 x i32> splat (i32 1), ptr addrspace(1) %place, <4 x i1> %active)
  %next = add i64 %i, 64
  %next.lanes = add <4 x i64> %lanes, splat (i64 64)
  %stay = icmp ult <4 x i64> %next.lanes, %bound
  %stay.bits = bitcast <4 x i1> %stay to i4
  %done = icmp eq i4 %stay.bits, 0
  br i1 %done, label %end, label %work
end:
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare void @llvm.masked.store.v4i32.p1(<4 x i32>, ptr addrspace(1), <4 x i1>)
