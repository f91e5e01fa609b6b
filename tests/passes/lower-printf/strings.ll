; RUN: lockstep-opt -passes=lower-printf %s | FileCheck %s
; The address of a string in local memory is stored as a generic one. What is no address is no string.

; CHECK-LABEL: @kernel
; CHECK: [[GENERIC:%.*]] = addrspacecast ptr addrspace(3) %text to ptr addrspace(4)
; CHECK: store ptr addrspace(4) [[GENERIC]], ptr
; CHECK: store i64 0, ptr
; CHECK: store ptr addrspace(3) %text, ptr
@format = internal addrspace(2) constant [9 x i8] c"%s %s %p\00"
declare i32 @printf(ptr addrspace(2), ...)
define void @kernel(ptr addrspace(3) %text) {
  %done = call i32 (ptr addrspace(2), ...) @printf(ptr addrspace(2) @format, ptr addrspace(3) %text, i32 7, ptr addrspace(3) %text)
  ret void
}
