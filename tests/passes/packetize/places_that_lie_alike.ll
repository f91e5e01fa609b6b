; RUN: lockstep-opt -passes='packetize,dce' %s | FileCheck %s
; Numbers that differ by what all lanes add: whether the lanes are neighbors or in a window is looked at once, and a masked
; store is turned around once for all that follow it under its mask. The vector of addresses is computed only where it is
; needed.

; CHECK-LABEL: @butterfly(
; CHECK: %[[N:.*]] = freeze <16 x i32>
; CHECK: %[[FIRST:.*]] = extractelement <16 x i32> %[[N]], i64 0
; CHECK-NOT: zext <16 x i32>
; CHECK: br i1 %neighbors
; CHECK: %are.neighbors = phi i1 [ true, %{{.*}} ], [ false, %{{.*}} ]
; CHECK: %are.in.window = phi i1 [ false, %{{.*}} ], [ %{{.*}}, %{{.*}} ]
; CHECK: %[[SECOND:.*]] = add i32 %[[FIRST]], %distance
; CHECK: %[[EXACT:.*]] = icmp ule i32 %[[SECOND]], -33
; CHECK: %[[WINDOW:.*]] = and i1 %are.in.window, %[[EXACT]]
; CHECK: %[[NEAR:.*]] = and i1 %are.neighbors, %[[EXACT]]
; CHECK: br i1 %[[NEAR]]
; CHECK: br i1 %[[WINDOW]]
; CHECK: call i32 @llvm.vector.reduce.or
; CHECK-NOT: call i32 @llvm.vector.reduce.or
; CHECK: %turned = phi i1 [ true, %in.window
; CHECK: %[[BOTH:.*]] = and i1 %{{.*}}, %turned
; CHECK: br i1 %[[BOTH]]
; CHECK-NOT: call i32 @llvm.vector.reduce.or
; CHECK: call void @llvm.masked.store{{.*}} %turned
; CHECK-NOT: call i32 @llvm.vector.reduce.or
; CHECK: call void @llvm.masked.store{{.*}} %turned
; CHECK-NOT: call i32 @llvm.vector.reduce.or
; CHECK: ret void
define void @butterfly(ptr addrspace(1) %keys, ptr addrspace(1) %numbers, i32 %distance) #0 {
entry:
  %lane = call i64 @__lockstep_lane()
  %number.at = getelementptr i32, ptr addrspace(1) %numbers, i64 %lane
  %low = load i32, ptr addrspace(1) %number.at
  %high = add i32 %low, %distance
  %low.wide = zext i32 %low to i64
  %low.at = getelementptr i32, ptr addrspace(1) %keys, i64 %low.wide
  %a = load i32, ptr addrspace(1) %low.at
  %high.wide = zext i32 %high to i64
  %high.at = getelementptr i32, ptr addrspace(1) %keys, i64 %high.wide
  %b = load i32, ptr addrspace(1) %high.at
  %greater = icmp ugt i32 %a, %b
  br label %masked

masked:
  call void @__lockstep_mask(i1 %greater)
  store i32 %b, ptr addrspace(1) %low.at
  store i32 %a, ptr addrspace(1) %high.at
  ret void
}

; A load under a mask knows nothing of the lanes that it leaves out, and one that may not be reached knows nothing at all.
; CHECK-LABEL: @each_by_itself(
; CHECK-COUNT-3: icmp ne <16 x i32> %{{.*}}, <i32 0, i32 1, i32 2,
; CHECK-NOT: %are.neighbors
; CHECK: ret void
define void @each_by_itself(ptr addrspace(1) %p, ptr addrspace(1) %numbers, i64 %d, i1 %both, ptr addrspace(1) %to) #0 {
entry:
  %lane = call i64 @__lockstep_lane()
  %number.at = getelementptr i32, ptr addrspace(1) %numbers, i64 %lane
  %n = load i32, ptr addrspace(1) %number.at
  %wanted = icmp slt i32 %n, 100
  br label %masked

masked:
  call void @__lockstep_mask(i1 %wanted)
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %n
  %x = load i32, ptr addrspace(1) %at
  br label %fork

fork:
  br i1 %both, label %maybe, label %last

maybe:
  %first = getelementptr i32, ptr addrspace(1) %p, i32 %n
  %y = load i32, ptr addrspace(1) %first
  br label %last

last:
  %sum = phi i32 [ %y, %maybe ], [ 0, %fork ]
  %more = add i32 %n, 4
  %second = getelementptr i32, ptr addrspace(1) %p, i32 %more
  store i32 %sum, ptr addrspace(1) %second
  ret void
}

; What is narrower than 32 bits wraps before it is extended.
; CHECK-LABEL: @ring(
; CHECK-COUNT-2: icmp ne <16 x i64> %{{.*}}, <i64 0, i64 1, i64 2,
; CHECK-NOT: %are.neighbors
; CHECK: ret void
define void @ring(ptr addrspace(1) %p, ptr addrspace(1) %numbers, i16 %d, ptr addrspace(1) %to) #0 {
entry:
  %lane = call i64 @__lockstep_lane()
  %number.at = getelementptr i16, ptr addrspace(1) %numbers, i64 %lane
  %n = load i16, ptr addrspace(1) %number.at
  %far = add i16 %n, %d
  %at = getelementptr i32, ptr addrspace(1) %p, i16 %n
  %x = load i32, ptr addrspace(1) %at
  %far.at = getelementptr i32, ptr addrspace(1) %p, i16 %far
  %y = load i32, ptr addrspace(1) %far.at
  %sum = add i32 %x, %y
  %to.at = getelementptr i32, ptr addrspace(1) %to, i64 %lane
  store i32 %sum, ptr addrspace(1) %to.at
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare void @__lockstep_mask(i1) convergent nounwind willreturn memory(inaccessiblemem: readwrite)

attributes #0 = { "lockstep-sub-group-size"="16" "target-cpu"="znver5" }
