; RUN: llc -mtriple=nvptx64-nvidia-cuda -mcpu=sm_90 -mattr=+ptx78 %s -o - | FileCheck %s
; LLVM without the pass: an update with acquire and release has neither an order nor a fence. A failure here means that LLVM
; no longer needs order-atomics. Upstream: llvm/llvm-project#179553.

; CHECK-LABEL: .func {{.*}}update(
; CHECK-NOT: fence
; CHECK: atom.global.add.u32
; CHECK-NOT: fence
; CHECK: ret;
define i32 @update(ptr addrspace(1) %p) {
  %old = atomicrmw add ptr addrspace(1) %p, i32 1 syncscope("block") acq_rel
  ret i32 %old
}
