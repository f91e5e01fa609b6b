; RUN: lockstep-opt -passes='packetize' %s | FileCheck %s
; Bytes: an index that is consecutive except where a row ends is tested at run time; an index of a table is not.

; CHECK-LABEL: @behind_the_end_is_the_start(
; CHECK: br i1 %neighbors, label %neighbors{{.*}}, label %anywhere
; CHECK: load <16 x i8>
; CHECK-LABEL: define void @remainder(
; CHECK: br i1 %neighbors, label %neighbors{{.*}}, label %anywhere
; CHECK: load <16 x i8>
; CHECK-LABEL: define void @clamped(
; CHECK: br i1 %neighbors, label %neighbors{{.*}}, label %anywhere
; CHECK: load <16 x i8>
; CHECK-LABEL: define void @two_apart(
; CHECK-NOT: neighbors
; CHECK-LABEL: define void @table(
; CHECK-NOT: neighbors
; CHECK: ret void
define void @behind_the_end_is_the_start(ptr addrspace(1) %p, i32 %w, ptr addrspace(1) %to) #0 {
entry:
  %lane = call i64 @__lockstep_lane()
  %x = trunc i64 %lane to i32
  %last = add i32 %w, -1
  %is.last = icmp eq i32 %x, %last
  %next = add i32 %x, 1
  %place = select i1 %is.last, i32 0, i32 %next
  %index = sext i32 %place to i64
  %at = getelementptr i8, ptr addrspace(1) %p, i64 %index
  %value = load i8, ptr addrspace(1) %at
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 %lane
  store i8 %value, ptr addrspace(1) %to.at
  ret void
}

define void @remainder(ptr addrspace(1) %p, i32 %w, ptr addrspace(1) %to) #0 {
entry:
  %lane = call i64 @__lockstep_lane()
  %x = trunc i64 %lane to i32
  %next = add i32 %x, 1
  %place = urem i32 %next, %w
  %index = zext i32 %place to i64
  %at = getelementptr i8, ptr addrspace(1) %p, i64 %index
  %value = load i8, ptr addrspace(1) %at
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 %lane
  store i8 %value, ptr addrspace(1) %to.at
  ret void
}

define void @clamped(ptr addrspace(1) %p, i32 %w, ptr addrspace(1) %to) #0 {
entry:
  %lane = call i64 @__lockstep_lane()
  %x = trunc i64 %lane to i32
  %next = add i32 %x, 1
  %low = call i32 @llvm.smax.i32(i32 %next, i32 0)
  %place = call i32 @llvm.smin.i32(i32 %low, i32 %w)
  %index = sext i32 %place to i64
  %at = getelementptr i8, ptr addrspace(1) %p, i64 %index
  %value = load i8, ptr addrspace(1) %at
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 %lane
  store i8 %value, ptr addrspace(1) %to.at
  ret void
}

define void @two_apart(ptr addrspace(1) %p, i32 %w, ptr addrspace(1) %to) #0 {
entry:
  %lane = call i64 @__lockstep_lane()
  %x = trunc i64 %lane to i32
  %twice = shl i32 %x, 1
  %place = urem i32 %twice, %w
  %index = zext i32 %place to i64
  %at = getelementptr i8, ptr addrspace(1) %p, i64 %index
  %value = load i8, ptr addrspace(1) %at
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 %lane
  store i8 %value, ptr addrspace(1) %to.at
  ret void
}

define void @table(ptr addrspace(1) %p, ptr addrspace(1) %from, ptr addrspace(1) %to) #0 {
entry:
  %lane = call i64 @__lockstep_lane()
  %from.at = getelementptr i8, ptr addrspace(1) %from, i64 %lane
  %key = load i8, ptr addrspace(1) %from.at
  %index = zext i8 %key to i64
  %at = getelementptr i8, ptr addrspace(1) %p, i64 %index
  %value = load i8, ptr addrspace(1) %at
  %to.at = getelementptr i8, ptr addrspace(1) %to, i64 %lane
  store i8 %value, ptr addrspace(1) %to.at
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.smin.i32(i32, i32)

attributes #0 = { "lockstep-sub-group-size"="16" "target-cpu"="znver5" }
