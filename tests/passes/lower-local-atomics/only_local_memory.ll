; RUN: lockstep-opt -passes=lower-local-atomics %s | FileCheck %s
; Global memory keeps its atomics, and so does a kernel that waits.

; CHECK-LABEL: @counts
; CHECK-NOT: atomicrmw add ptr addrspace(3)
; CHECK: load i32, ptr addrspace(3) %local
; CHECK: store i32 {{.*}}, ptr addrspace(3) %local
; CHECK: atomicrmw add ptr addrspace(1)
; CHECK-LABEL: @waits
; CHECK: atomicrmw xchg ptr addrspace(3)
define void @counts(ptr addrspace(3) %local, ptr addrspace(1) %global) {
  %a = atomicrmw add ptr addrspace(3) %local, i32 1 monotonic
  %b = atomicrmw add ptr addrspace(1) %global, i32 %a monotonic
  ret void
}

define void @waits(ptr addrspace(3) %lock) {
entry:
  br label %loop
loop:
  %old = atomicrmw xchg ptr addrspace(3) %lock, i32 1 acquire
  %taken = icmp ne i32 %old, 0
  br i1 %taken, label %loop, label %end
end:
  ret void
}
