; RUN: lockstep-opt -passes=specialize --no-offset %s | FileCheck %s
; RUN: lockstep-opt -passes=specialize %s | FileCheck %s --check-prefix=ANY
; Most launches have no global offset. Ids are then multiples of the local size, plus a local id.

; CHECK: store i64 0, ptr addrspace(1) %p
; ANY: store i64 %offset, ptr addrspace(1) %p
target triple = "spir64-unknown-unknown"

define spir_kernel void @k(ptr addrspace(1) %p) {
  %offset = call i64 @__lockstep_global_offset(i32 0)
  store i64 %offset, ptr addrspace(1) %p
  ret void
}

declare i64 @__lockstep_global_offset(i32) nounwind willreturn memory(none)
