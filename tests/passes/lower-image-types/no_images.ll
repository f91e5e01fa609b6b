; RUN: lockstep-opt -passes=lower-image-types %s | FileCheck %s
; A kernel without images is left as it is.

; CHECK: define void @kernel(ptr addrspace(2) %table, i32 %x)
; CHECK-NEXT: ret void
define void @kernel(ptr addrspace(2) %table, i32 %x) {
  ret void
}
