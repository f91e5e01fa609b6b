; RUN: lockstep-opt -nvidia=sm_90 -passes=diverge-at-waits %s | FileCheck %s
; A loop that does not wait remains as it is, and so do barriers of a module without waits.

; CHECK-LABEL: define void @counts(
; CHECK-NOT: asm
; CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
; CHECK: ret void
; CHECK-NOT: ret void
define void @counts(ptr addrspace(1) %sum, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %old = atomicrmw add ptr addrspace(1) %sum, i32 1 syncscope("device") monotonic
  %next = add nuw i32 %i, 1
  %ends = icmp uge i32 %next, %n
  br i1 %ends, label %end, label %loop
end:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
