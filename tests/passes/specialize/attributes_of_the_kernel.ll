; RUN: lockstep-opt -passes=specialize --local-size=8,4,1 %s | FileCheck %s
; RUN: lockstep-opt -passes=specialize %s | FileCheck %s --check-prefix=ANY
; What a kernel is specialized for stands on it as an attribute; code for any local size has none.

; CHECK: attributes #{{.*}} "lockstep-local-size"="8,4,1"
; ANY-NOT: lockstep-local-size
target triple = "spir64-unknown-unknown"

define spir_kernel void @k(ptr addrspace(1) %p) {
  store i32 1, ptr addrspace(1) %p
  ret void
}
