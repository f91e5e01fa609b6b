; RUN: lockstep-opt -passes=expand-copies %s | FileCheck %s
; With one lane nothing is done: the code generator knows the intrinsics.

; CHECK: call void @llvm.memcpy
; CHECK: call void @llvm.memset
define void @lockstep.kernel(ptr addrspace(1) %from, ptr addrspace(3) %to) "lockstep-sub-group-size"="1" {
  call void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) %to, ptr addrspace(1) %from, i64 64, i1 false)
  call void @llvm.memset.p1.i64(ptr addrspace(1) %from, i8 0, i64 64, i1 false)
  ret void
}
