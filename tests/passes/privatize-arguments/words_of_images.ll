; RUN: lockstep-opt -passes='privatize-arguments,function(sroa,instcombine)' -local-argument=8:4294967295:0:1:42 %s | FileCheck %s
; One of no bytes: the address of an image's descriptor stays as the launch gives it, and the word behind it is a constant.

; CHECK-NOT: @local.argument
; CHECK-LABEL: define spir_kernel void @kernel
; CHECK: %[[AT:.*]] = getelementptr inbounds nuw i8, ptr %function, i64 8
; CHECK: %[[DESCRIPTOR:.*]] = load i64, ptr %[[AT]]
; CHECK: %[[IMAGE:.*]] = inttoptr i64 %[[DESCRIPTOR]] to ptr addrspace(2)
; CHECK: call i32 @read(ptr addrspace(2) %[[IMAGE]], i64 42)
define spir_kernel void @kernel(ptr byval([24 x i8]) align 8 %function) {
  %at.descriptor = getelementptr i8, ptr %function, i64 8
  %descriptor = load i64, ptr %at.descriptor
  %at.kind = getelementptr i8, ptr %function, i64 16
  %kind = load i64, ptr %at.kind
  %image = inttoptr i64 %descriptor to ptr addrspace(2)
  call i32 @read(ptr addrspace(2) %image, i64 %kind)
  ret void
}

declare i32 @read(ptr addrspace(2), i64)
