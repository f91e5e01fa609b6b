; RUN: lockstep-opt -passes=packetize %s | FileCheck %s
; Odd elements in local memory: the window begins at the even one before, so that all strides cut the memory alike. In
; global memory, and where an index may be below 0 or the pointer is in the middle of something, it begins at the slot.

; CHECK-LABEL: @local_memory(
; CHECK: [[WINDOW:%.*]] = getelementptr i8, ptr addrspace(3) %{{.*}}, i64 -4
; CHECK: load <8 x i32>, ptr addrspace(3) [[WINDOW]], align 4
; CHECK: shufflevector <8 x i32> %{{.*}}, <4 x i32> <i32 1, i32 3, i32 5, i32 7>
; CHECK: call void @llvm.masked.store{{.*}} <8 x i1> <i1 false, i1 true, i1 false, i1 true
define void @local_memory(ptr addrspace(3) %p) "lockstep-sub-group-size"="4" {
  %lane = call i64 @__lockstep_lane()
  %id = trunc i64 %lane to i32
  %even = shl nuw i32 %id, 1
  %odd = add nuw i32 %even, 1
  %index = zext i32 %odd to i64
  %place = getelementptr i32, ptr addrspace(3) %p, i64 %index
  %before = load i32, ptr addrspace(3) %place
  %after = add i32 %before, %id
  store i32 %after, ptr addrspace(3) %place
  ret void
}

; CHECK-LABEL: @global_memory(
; CHECK: call <8 x i32> @llvm.masked.load{{.*}} <8 x i1> <i1 true, i1 false, i1 true, i1 false
define void @global_memory(ptr addrspace(1) %p) "lockstep-sub-group-size"="4" {
  %lane = call i64 @__lockstep_lane()
  %id = trunc i64 %lane to i32
  %even = shl nuw i32 %id, 1
  %odd = add nuw i32 %even, 1
  %index = zext i32 %odd to i64
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %index
  %before = load i32, ptr addrspace(1) %place
  store i32 %before, ptr addrspace(1) %p
  ret void
}

; CHECK-LABEL: @below_zero(
; CHECK: call <8 x i32> @llvm.masked.load{{.*}} <8 x i1> <i1 true, i1 false, i1 true, i1 false
define void @below_zero(ptr addrspace(3) %p, i64 %n) "lockstep-sub-group-size"="4" {
  %lane = call i64 @__lockstep_lane()
  %id = add i64 %lane, %n
  %even = shl i64 %id, 1
  %odd = add i64 %even, 1
  %place = getelementptr i32, ptr addrspace(3) %p, i64 %odd
  %before = load i32, ptr addrspace(3) %place
  store i32 %before, ptr addrspace(3) %p
  ret void
}

; CHECK-LABEL: @middle(
; CHECK: call <8 x i32> @llvm.masked.load{{.*}} <8 x i1> <i1 true, i1 false, i1 true, i1 false
define void @middle(ptr %where) "lockstep-sub-group-size"="4" {
  %p = load ptr addrspace(3), ptr %where
  %lane = call i64 @__lockstep_lane()
  %id = trunc i64 %lane to i32
  %even = shl nuw i32 %id, 1
  %odd = add nuw i32 %even, 1
  %index = zext i32 %odd to i64
  %place = getelementptr i32, ptr addrspace(3) %p, i64 %index
  %before = load i32, ptr addrspace(3) %place
  store i32 %before, ptr addrspace(3) %p
  ret void
}

; What stands behind the last slot may be behind the variable: no window over whole strides.
; CHECK-LABEL: @even_elements(
; CHECK: call <8 x i32> @llvm.masked.load{{.*}} <8 x i1> <i1 true, i1 false, i1 true, i1 false
define void @even_elements(ptr addrspace(3) %p) "lockstep-sub-group-size"="4" {
  %lane = call i64 @__lockstep_lane()
  %id = trunc i64 %lane to i32
  %even = shl nuw i32 %id, 1
  %index = zext i32 %even to i64
  %place = getelementptr i32, ptr addrspace(3) %p, i64 %index
  %before = load i32, ptr addrspace(3) %place
  store i32 %before, ptr addrspace(3) %p
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
