; RUN: lockstep-opt -passes='function(expand-copies),verify' %s | FileCheck %s
; Sizes that are no constants: none at all must be possible; whole words where the size is known to be a number of them;
; backwards where the destination may lie behind the source in the same memory.

; CHECK-LABEL: @lockstep.kernel
; CHECK: icmp ne i64 %size, 0
; CHECK: copy.words:
; CHECK: add nuw i64 {{.*}}, 4
; CHECK: load i32
; CHECK: store i32
; CHECK: ret void
define void @lockstep.kernel(ptr addrspace(1) %from, i64 %count) "lockstep-sub-group-size"="16" {
  %to = alloca [64 x i32]
  %size = shl i64 %count, 2
  call void @llvm.memcpy.p0.p1.i64(ptr align 4 %to, ptr addrspace(1) align 4 %from, i64 %size, i1 false)
  ret void
}

; CHECK-LABEL: @lockstep.bytes
; CHECK: [[BEHIND:%.*]] = icmp ugt i64
; CHECK: br i1 [[BEHIND]]
; CHECK: copy.words:
; CHECK: phi i64 [ %size,
; CHECK: sub nuw i64 {{.*}}, 1
; CHECK: load i8
; CHECK: icmp eq i64 {{.*}}, 0
; CHECK: phi i64 [ 0,
; CHECK: add nuw i64 {{.*}}, 1
; CHECK: load i8
; CHECK: icmp eq i64 {{.*}}, %size
define void @lockstep.bytes(i64 %i, i64 %size) "lockstep-sub-group-size"="16" {
  %array = alloca [64 x i8]
  %from = getelementptr i8, ptr %array, i64 %i
  %to = addrspacecast ptr %array to ptr addrspace(4)
  call void @llvm.memmove.p4.p0.i64(ptr addrspace(4) %to, ptr %from, i64 %size, i1 false)
  ret void
}
