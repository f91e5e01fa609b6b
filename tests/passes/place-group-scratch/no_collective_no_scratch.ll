; RUN: lockstep-opt -passes=place-group-scratch %s | FileCheck %s

; CHECK-NOT: lockstep.group.scratch
define spir_kernel void @kernel() {
  ret void
}
