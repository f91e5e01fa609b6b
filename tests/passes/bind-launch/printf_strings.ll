; RUN: lockstep-opt -nvidia=sm_90 -passes=bind-launch %s | FileCheck %s
; RUN: lockstep-opt -nvidia=sm_90 -passes='bind-launch,lower-gpu-primitives,default<O3>' %s | FileCheck %s --check-prefix=CODE
; A table says where the arguments have strings, and how many characters are read of each: here at bytes 0 and 16.

; CHECK: @printf_strings = private addrspace(1) constant [4 x i32] [i32 0, i32 -1, i32 16, i32 3]
; CHECK: define ptx_kernel void @kernel(ptr addrspace(1) %text, ptr addrspace(1) %0)
; CHECK: call i32 @lockstep_nvidia_printf(ptr addrspace(1) %0, i32 0, ptr %arguments, i32 24, ptr addrspace(1) @printf_strings, i32 2)
; CHECK: call i32 @lockstep_nvidia_printf(ptr addrspace(1) %0, i32 1, ptr %arguments, i32 4, ptr addrspace(1) null, i32 0)
; CODE: define dso_local ptx_kernel void @kernel
@format = internal addrspace(1) constant [15 x i8] c"%s is %d, %.3s\00"
@number = internal addrspace(1) constant [3 x i8] c"%d\00"
declare i32 @__lockstep_printf(ptr addrspace(1), ptr, i32)
define void @kernel(ptr addrspace(1) %text) {
  %arguments = alloca [24 x i8], align 8
  store ptr addrspace(1) %text, ptr %arguments
  %second = getelementptr i8, ptr %arguments, i64 16
  store ptr addrspace(1) %text, ptr %second
  %a = call i32 @__lockstep_printf(ptr addrspace(1) @format, ptr %arguments, i32 24)
  %b = call i32 @__lockstep_printf(ptr addrspace(1) @number, ptr %arguments, i32 4)
  ret void
}
