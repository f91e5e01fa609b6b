; RUN: lockstep-opt -passes=lower-printf %s | FileCheck %s
; A function of the program that happens to be called printf is not the builtin.

; CHECK-LABEL: define {{.*}}void @kernel(
; CHECK: call {{.*}}i32 @printf(i32 1)
; CHECK-NOT: __lockstep_printf
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
define spir_func i32 @printf(i32 %x) {
  ret i32 %x
}
define spir_kernel void @kernel() {
  %r = call spir_func i32 @printf(i32 1)
  ret void
}
