; RUN: lockstep-opt -nvidia=sm_90 -passes=legal-names %s | FileCheck %s
; Dots and other characters become underscores, and no two names become equal. LLVM's intrinsics keep their names.

; CHECK-DAG: @a_b = global i32 1
; CHECK-DAG: @a_b_ = global i32 2
; CHECK-DAG: @_1st = global i32 3
; CHECK-DAG: @"unchanged$name" = global i32 4
; CHECK-DAG: define void @kernel_with_dots(
; CHECK-DAG: declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
@a.b = global i32 2
@a_b = global i32 1
@"1st" = global i32 3
@unchanged$name = global i32 4
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
define void @kernel.with-dots() {
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}
