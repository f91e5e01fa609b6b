; RUN: lockstep-opt -passes=lower-local-atomics %s | FileCheck %s
; Global memory keeps its atomics.

; CHECK-LABEL: @counts
; CHECK-NOT: atomicrmw add ptr addrspace(3)
; CHECK: load i32, ptr addrspace(3) %local
; CHECK: store i32 {{.*}}, ptr addrspace(3) %local
; CHECK: atomicrmw add ptr addrspace(1)
define void @counts(ptr addrspace(3) %local, ptr addrspace(1) %global) {
  %a = atomicrmw add ptr addrspace(3) %local, i32 1 monotonic
  %b = atomicrmw add ptr addrspace(1) %global, i32 %a monotonic
  ret void
}
