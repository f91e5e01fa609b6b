; RUN: lockstep-opt -passes=link-device-library %s | FileCheck %s
; Variables have their members where the source has them, and so have addresses that are constants: the host aligns i128 to
; 16 bytes, not 8, and makes 32 bytes of an i192, not 24.

; CHECK: @both = internal addrspace(2) constant [2 x <{ i64, i128 }>] [<{ i64, i128 }> <{ i64 1, i128 2 }>, <{ i64, i128 }> zeroinitializer]
; CHECK: @row = internal addrspace(2) constant <{ [24 x i8], i16, [6 x i8] }> <{ [24 x i8] c"\05\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\01\00\00\00\00\00\00\00", i16 7, [6 x i8] zeroinitializer }>
; CHECK: @place = internal addrspace(2) constant ptr addrspace(2) getelementptr{{.*}} (i8, ptr addrspace(2) @both, i64 32)
; CHECK-LABEL: define {{.*}}@lockstep.kernel(
; CHECK: load i64, ptr addrspace(2) getelementptr{{.*}} (i8, ptr addrspace(2) @row, i64 24)
; CHECK: getelementptr i8, ptr addrspace(1) %r, i64 72
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

%bits = type { i64, i128 }
%row = type { i192, i16 }
@both = internal addrspace(2) constant [2 x %bits] [%bits { i64 1, i128 2 }, %bits zeroinitializer]
@row = internal addrspace(2) constant %row { i192 340282366920938463463374607431768211461, i16 7 }
@place = internal addrspace(2) constant ptr addrspace(2) getelementptr ([2 x %bits], ptr addrspace(2) @both, i64 0, i64 1, i32 1)

define spir_kernel void @k(ptr addrspace(1) %s, ptr addrspace(1) %r) {
  %second = load i64, ptr addrspace(2) getelementptr (%row, ptr addrspace(2) @row, i64 0, i32 1)
  store i64 %second, ptr addrspace(1) %s
  %address = load ptr addrspace(2), ptr addrspace(2) @place
  %member = load i128, ptr addrspace(2) %address, align 1
  %third = getelementptr [3 x i192], ptr addrspace(1) %r, i64 1
  store i128 %member, ptr addrspace(1) %third, align 1
  ret void
}
