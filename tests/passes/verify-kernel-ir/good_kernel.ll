; RUN: lockstep-opt -passes=verify-kernel-ir %s | FileCheck %s

; CHECK: define spir_kernel void @kernel()
define spir_kernel void @kernel() {
  call void @__lockstep_barrier(i32 1)
  ret void
}

declare void @__lockstep_barrier(i32) convergent
