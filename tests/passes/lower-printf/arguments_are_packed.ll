; RUN: lockstep-opt -passes=lower-printf %s | FileCheck %s
; Each argument stands at the next multiple of its packed size; a vector of 3 takes the room of 4. The variadic function
; is gone.

; CHECK-LABEL: define {{.*}}void @kernel(
; CHECK: %[[BLOCK:.*]] = alloca [48 x i8], align 16
; CHECK: %[[C:.*]] = getelementptr inbounds i8, ptr %[[BLOCK]], i64 0
; CHECK: store i32 %i, ptr %[[C]], align 16
; CHECK: %[[D:.*]] = getelementptr inbounds i8, ptr %[[BLOCK]], i64 8
; CHECK: store double %d, ptr %[[D]], align 8
; CHECK: %[[V:.*]] = getelementptr inbounds i8, ptr %[[BLOCK]], i64 16
; CHECK: store <3 x float> %v, ptr %[[V]], align 16
; CHECK: %[[L:.*]] = getelementptr inbounds i8, ptr %[[BLOCK]], i64 32
; CHECK: store i64 %l, ptr %[[L]], align 16
; CHECK: %[[S:.*]] = getelementptr inbounds i8, ptr %[[BLOCK]], i64 40
; CHECK: store ptr addrspace(2) @text, ptr %[[S]], align 8
; CHECK: call i32 @__lockstep_printf(ptr addrspace(2) @format, ptr %[[BLOCK]], i32 48)
; CHECK-NOT: @printf(
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
@format = private addrspace(2) constant [23 x i8] c"%d%% %f %v3hlf %ld %s\0A\00"
@text = private addrspace(2) constant [2 x i8] c"x\00"

define spir_kernel void @kernel(i32 %i, double %d, <3 x float> %v, i64 %l) {
  %r = call spir_func i32 (ptr addrspace(2), ...) @printf(ptr addrspace(2) @format, i32 %i, double %d, <3 x float> %v, i64 %l, ptr addrspace(2) @text)
  ret void
}

declare spir_func i32 @printf(ptr addrspace(2), ...)
