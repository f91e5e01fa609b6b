; RUN: lockstep-opt -nvidia=sm_90 -passes=retarget %s | FileCheck %s
; Scopes get NVPTX's names. Without a scope, kernel IR means the device. Local memory is the group's, whatever the scope.

; CHECK-LABEL: @kernel(
; CHECK: atomicrmw add ptr addrspace(1) %p, i32 1 syncscope("device") acq_rel
; CHECK: atomicrmw add ptr addrspace(1) %p, i32 2 syncscope("block") monotonic
; CHECK: atomicrmw add ptr addrspace(3) %l, i32 3 syncscope("block") seq_cst
; CHECK: load atomic i32, ptr addrspace(1) %p syncscope("device") acquire
; CHECK: fence syncscope("device") release
; CHECK: fence syncscope("block") acq_rel
; CHECK: load i32, ptr addrspace(1) %p, align 4
define void @kernel(ptr addrspace(1) %p, ptr addrspace(3) %l) {
  %a = atomicrmw add ptr addrspace(1) %p, i32 1 acq_rel
  %b = atomicrmw add ptr addrspace(1) %p, i32 2 syncscope("workgroup") monotonic
  %c = atomicrmw add ptr addrspace(3) %l, i32 3 seq_cst
  %d = load atomic i32, ptr addrspace(1) %p acquire, align 4
  fence release
  fence syncscope("workgroup") acq_rel
  %e = load i32, ptr addrspace(1) %p
  ret void
}
