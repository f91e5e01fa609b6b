; RUN: lockstep-opt -passes='isolate-group-operations,work-item-loops' --local-size=64,1,1 %s | FileCheck %s
; Two sub-groups of four run at once. After the barrier only ids below %step work: both sub-groups of a pair run without masks
; below the last whole pair, and pairs beyond the bound do not run.

; CHECK-LABEL: @kernel
; CHECK: region.1:
; CHECK: %[[WHOLE:.*]] = udiv i64 %{{.*}}, 8
; CHECK: %[[BELOW:.*]] = mul i64 %[[WHOLE]], 8
; CHECK: %[[OTHER_WHOLE:.*]] = udiv i64 %{{.*}}, 8
; CHECK: %[[OTHER_BELOW:.*]] = mul i64 %[[OTHER_WHOLE]], 8
; CHECK: %[[END:.*]] = call i64 @llvm.umax.i64(
; CHECK: %[[FULL:.*]] = call i64 @llvm.umin.i64(i64 %[[BELOW]], i64 %[[OTHER_BELOW]])
; CHECK: region.1.boundary:
; CHECK-NEXT: icmp ult i64 %[[FULL]], %[[END]]
; CHECK: region.1.latch:
; CHECK-NEXT: %[[NEXT:.*]] = add nuw nsw i64 %{{.*}}, 8
; CHECK-NEXT: icmp ult i64 %[[NEXT]], %[[FULL]]
; CHECK: other.work.r1:
; CHECK-NEXT: call void @llvm.masked.store{{.*}} splat (i1 true))
; CHECK: {{^}}work.r1:
; CHECK-NEXT: call void @llvm.masked.store{{.*}} splat (i1 true))
define void @kernel(ptr addrspace(1) %p, i64 noundef %step) convergent "lockstep-sub-group-size"="4" "lockstep-interleave"="0,2" {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %other.id = add i64 %id, 4
  %one = insertelement <4 x i64> poison, i64 %id, i64 0
  %all = shufflevector <4 x i64> %one, <4 x i64> poison, <4 x i32> zeroinitializer
  %ids = add <4 x i64> %all, <i64 0, i64 1, i64 2, i64 3>
  %other.ids = add <4 x i64> %all, <i64 4, i64 5, i64 6, i64 7>
  %bound.one = insertelement <4 x i64> poison, i64 %step, i64 0
  %bound = shufflevector <4 x i64> %bound.one, <4 x i64> poison, <4 x i32> zeroinitializer
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %id
  %other.place = getelementptr i32, ptr addrspace(1) %p, i64 %other.id
  store <8 x i32> zeroinitializer, ptr addrspace(1) %place
  call void @__lockstep_barrier(i32 2)
  %mask = icmp ult <4 x i64> %ids, %bound
  %bits = bitcast <4 x i1> %mask to i4
  %none = icmp eq i4 %bits, 0
  br i1 %none, label %other, label %work
work:
  call void @llvm.masked.store.v4i32.p1(<4 x i32> splat (i32 1), ptr addrspace(1) %place, <4 x i1> %mask)
  br label %other
other:
  %other.mask = icmp ult <4 x i64> %other.ids, %bound
  %other.bits = bitcast <4 x i1> %other.mask to i4
  %other.none = icmp eq i4 %other.bits, 0
  br i1 %other.none, label %end, label %other.work
other.work:
  call void @llvm.masked.store.v4i32.p1(<4 x i32> splat (i32 1), ptr addrspace(1) %other.place, <4 x i1> %other.mask)
  br label %end
end:
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare void @__lockstep_barrier(i32) convergent nounwind
