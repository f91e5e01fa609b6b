; RUN: not lockstep-opt -quiet -passes=verify-kernel-ir %s 2>&1 | FileCheck %s

; CHECK: error: kernel IR contract: a group operation is not convergent (in kernel)
define spir_kernel void @kernel() {
  call void @__lockstep_barrier(i32 1)
  ret void
}

declare void @__lockstep_barrier(i32)
