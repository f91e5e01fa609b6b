; A function that is kept and has a form for lanes is called once, with the active lanes as bits, scalars where it wants
; them and vectors elsewhere. One that has no such form is called for each active lane, also if it has no effect: a lane
; that is not active must not come to it. With arguments that are the same for all lanes it is called once. One that returns
; nothing is there for its effects, so it has to know the active lanes.
; RUN: lockstep-opt -passes=packetize %s 2>/dev/null | FileCheck %s

; CHECK-LABEL: define void @kernel
; CHECK: %[[BITS:.*]] = bitcast <4 x i1> %{{.*}} to i4
; CHECK: %r{{.*}} = call <4 x i32> @f.lanes(i4 %[[BITS]], ptr addrspace(1) %p, <4 x i64> <i64 0, i64 1, i64 2, i64 3>)
; CHECK: call void @llvm.masked.store.v4i32{{.*}}(<4 x i32> %r
; CHECK: lanes:
; CHECK: call i32 @g(i64
; CHECK: call i32 @g(i64 5)
; CHECK: call void @h.lanes(i4 %{{.*}}, <4 x i64> <i64 0, i64 1, i64 2, i64 3>)
; CHECK-NOT: call void @h(
define void @kernel(ptr addrspace(1) %p, ptr addrspace(1) %q) #0 {
entry:
  %lane = call i64 @__lockstep_lane()
  %chosen.at = getelementptr i32, ptr addrspace(1) %q, i64 %lane
  %chosen = load i32, ptr addrspace(1) %chosen.at
  %odd = trunc i32 %chosen to i1
  br label %masked
masked:
  call void @__lockstep_mask(i1 %odd)
  %r = call i32 @f(ptr addrspace(1) %p, i64 %lane)
  %at = getelementptr i32, ptr addrspace(1) %p, i64 %lane
  store i32 %r, ptr addrspace(1) %at
  %s = call i32 @g(i64 %lane)
  store i32 %s, ptr addrspace(1) %at
  %t = call i32 @g(i64 5)
  store i32 %t, ptr addrspace(1) %q
  call void @h(i64 %lane)
  ret void
}

; CHECK-LABEL: define internal { <4 x i32>, <4 x i64> } @f.lanes.body(
; CHECK-NOT: __lockstep_lane
; CHECK: %[[SUM:.*]] = add <4 x i64> %index,
; CHECK: insertvalue { <4 x i32>, <4 x i64> } {{.*}}, <4 x i64> %[[SUM]], 1
define internal { <4 x i32>, <4 x i64> } @f.lanes.body(i4 %active.bits, ptr addrspace(1) %p, <4 x i64> %index) #0 {
  %lane = call i64 @__lockstep_lane()
  %index.of.lane = extractelement <4 x i64> %index, i64 %lane
  %sum = add i64 %index.of.lane, 3
  %narrow = trunc i64 %sum to i32
  %all.narrow = insertelement <4 x i32> poison, i32 %narrow, i64 %lane
  %r = insertvalue { <4 x i32>, <4 x i64> } poison, <4 x i32> %all.narrow, 0
  %all.sums = insertelement <4 x i64> poison, i64 %sum, i64 %lane
  %s = insertvalue { <4 x i32>, <4 x i64> } %r, <4 x i64> %all.sums, 1
  ret { <4 x i32>, <4 x i64> } %s
}

declare i32 @f(ptr addrspace(1), i64) #1
declare <4 x i32> @f.lanes(i4, ptr addrspace(1), <4 x i64>)
declare i32 @g(i64) #2
declare void @h(i64) #3
declare void @h.lanes(i4, <4 x i64>)
declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare void @__lockstep_mask(i1)
attributes #0 = { "lockstep-sub-group-size"="4" }
attributes #1 = { "lockstep-out-of-line" "lockstep-vector-variant-name"="f.lanes" }
attributes #2 = { "lockstep-out-of-line" nounwind willreturn memory(none) }
attributes #3 = { "lockstep-out-of-line" "lockstep-vector-variant-name"="h.lanes" }
