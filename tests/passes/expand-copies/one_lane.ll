; RUN: lockstep-opt -passes=expand-copies %s | FileCheck %s
; With one lane nothing is done: the code generator knows the intrinsics.

; CHECK: call void @llvm.memcpy
; CHECK: call void @llvm.memset
define void @lockstep.kernel(ptr addrspace(1) %from) "lockstep-sub-group-size"="1" {
  %to = alloca [64 x i32]
  call void @llvm.memcpy.p0.p1.i64(ptr %to, ptr addrspace(1) %from, i64 64, i1 false)
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 64, i1 false)
  ret void
}
