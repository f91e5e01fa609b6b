; RUN: lockstep-opt -passes=expand-copies %s | FileCheck %s
; Words have the size of what else is accessed in a private variable, so that it can be interleaved.

; CHECK-LABEL: @lockstep.longs
; CHECK-COUNT-4: load i64, ptr addrspace(1)
; CHECK-COUNT-4: store i64 {{.*}}, ptr %
define double @lockstep.longs(ptr addrspace(1) %from, i64 %i) "lockstep-sub-group-size"="16" {
  %variable = alloca [32 x i8], align 16
  call void @llvm.memcpy.p0.p1.i64(ptr align 16 %variable, ptr addrspace(1) align 4 %from, i64 32, i1 false)
  %place = getelementptr double, ptr %variable, i64 %i
  %element = load double, ptr %place, align 8
  ret double %element
}

; CHECK-LABEL: @lockstep.chars
; CHECK-COUNT-4: load i8, ptr addrspace(1)
; CHECK-COUNT-4: store i8 {{.*}}, ptr %
define i8 @lockstep.chars(ptr addrspace(1) %from, i64 %i) "lockstep-sub-group-size"="16" {
  %variable = alloca [4 x i8], align 4
  call void @llvm.memcpy.p0.p1.i64(ptr align 4 %variable, ptr addrspace(1) align 4 %from, i64 4, i1 false)
  %place = getelementptr i8, ptr %variable, i64 %i
  %element = load i8, ptr %place, align 1
  ret i8 %element
}

; Filled memory: the byte is repeated, and volatile stays volatile.
; CHECK-LABEL: @lockstep.filled
; CHECK: [[BYTE:%.*]] = zext i8 %byte to i32
; CHECK: [[WORD:%.*]] = mul i32 [[BYTE]], 16843009
; CHECK: store volatile i32 [[WORD]]
; CHECK: store volatile i16
define void @lockstep.filled(i8 %byte) "lockstep-sub-group-size"="16" {
  %variable = alloca [4 x i32], align 4
  call void @llvm.memset.p0.i64(ptr align 4 %variable, i8 %byte, i64 6, i1 true)
  ret void
}
