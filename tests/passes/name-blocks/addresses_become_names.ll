; RUN: lockstep-opt -passes=name-blocks %s | FileCheck %s
; The address of a block's kernel becomes its name, also in the block itself; other addresses stay.
; Nobody writes what it has captured.

; CHECK: @[[NAME:.*]] = private addrspace(2) constant [13 x i8] c"block_kernel\00"

; CHECK-LABEL: define void @kernel
; CHECK: call i32 @enqueue(ptr addrspace(4) addrspacecast ({{.*}}@[[NAME]]{{.*}}), ptr @invoke)
define void @kernel() {
  %result = call i32 @enqueue(ptr addrspace(4) addrspacecast (ptr @block_kernel to ptr addrspace(4)), ptr @invoke)
  ret void
}

; CHECK-LABEL: define internal void @block_kernel(
; CHECK-SAME: ptr addrspace(4) noalias readonly %block
; CHECK: call i32 @enqueue(ptr addrspace(4) addrspacecast ({{.*}}@[[NAME]]{{.*}}), ptr @invoke)
define internal void @block_kernel(ptr addrspace(4) %block) "lockstep-block" {
  call void @invoke(ptr addrspace(4) %block)
  %result = call i32 @enqueue(ptr addrspace(4) addrspacecast (ptr @block_kernel to ptr addrspace(4)), ptr @invoke)
  ret void
}

define internal void @invoke(ptr addrspace(4) %block) {
  ret void
}

declare i32 @enqueue(ptr addrspace(4), ptr)
