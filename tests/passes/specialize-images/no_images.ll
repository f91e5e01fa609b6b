; RUN: lockstep-opt -passes=specialize-images %s | FileCheck %s
; A kernel without images gets nothing of the library.

; CHECK: define void @kernel(ptr addrspace(1) %to)
; CHECK-NEXT: ret void
; CHECK-NOT: define
; CHECK-NOT: @{{.*}} = 
define void @kernel(ptr addrspace(1) %to) {
  ret void
}
