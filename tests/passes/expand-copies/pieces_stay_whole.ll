; RUN: lockstep-opt -passes=expand-copies %s | FileCheck %s
; Global and local memory holds a structure in one piece, and so does a private variable with elements of several sizes.

; CHECK-LABEL: @lockstep.kernel
; CHECK-COUNT-3: call void @llvm.mem
; CHECK: ret i32
define i32 @lockstep.kernel(ptr addrspace(1) %from, ptr addrspace(3) %to, i64 %i) "lockstep-sub-group-size"="16" {
  %variable = alloca [4 x { i8, i64, i32 }], align 8
  call void @llvm.memmove.p3.p1.i64(ptr addrspace(3) align 4 %to, ptr addrspace(1) align 8 %from, i64 24, i1 false)
  call void @llvm.memset.p1.i64(ptr addrspace(1) %from, i8 0, i64 24, i1 false)
  %place = getelementptr { i8, i64, i32 }, ptr %variable, i64 %i
  call void @llvm.memcpy.p0.p3.i64(ptr align 8 %place, ptr addrspace(3) align 8 %to, i64 24, i1 false)
  %field = getelementptr { i8, i64, i32 }, ptr %variable, i64 0, i32 2
  %element = load i32, ptr %field
  %other = getelementptr { i8, i64, i32 }, ptr %variable, i64 0, i32 1
  store i64 %i, ptr %other
  ret i32 %element
}
