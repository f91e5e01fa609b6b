; RUN: lockstep-opt -nvidia=sm_90 -passes=diverge-at-waits %s | FileCheck %s
; RUN: lockstep-opt -nvidia=sm_90 -passes=diverge-at-waits %s | llc -mtriple=nvptx64-nvidia-cuda -mcpu=sm_90 -mattr=+ptx78 | FileCheck %s --check-prefix=PTX
; A loop that waits gets an edge to the only return, which is never taken. Barriers need not be reached by all lanes at once.

; CHECK-LABEL: define void @lock(
; CHECK: loop:
; CHECK: %[[CLOCK:[0-9]+]] = call i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"()
; CHECK: %[[NEVER:[0-9]+]] = icmp eq i64 %[[CLOCK]], -1
; CHECK: br i1 %[[NEVER]], label %[[END:[a-z0-9]+]], label %[[WAITS:[a-z0-9]+]]
; CHECK: [[WAITS]]:
; CHECK-NEXT: br i1 %ends, label %taken, label %loop
; CHECK: call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
; CHECK: br label %[[END]]
; CHECK: [[END]]:
; CHECK-NEXT: call i64 asm sideeffect "mov.u64 $0, %clock64;", "=l"()
; CHECK-NEXT: ret void
; PTX-LABEL: .func lock(
; PTX: mov.u64 {{.*}}, %clock64;
; PTX: barrier.sync
; PTX: mov.u64 {{.*}}, %clock64;
; PTX: ret;
define void @lock(ptr addrspace(1) %lock, i1 %early) {
entry:
  br i1 %early, label %leaves, label %loop
leaves:
  ret void
loop:
  %old = atomicrmw xchg ptr addrspace(1) %lock, i32 1 syncscope("device") monotonic
  %ends = icmp eq i32 %old, 0
  br i1 %ends, label %taken, label %loop, !lockstep.wait !0
taken:
  store atomic i32 0, ptr addrspace(1) %lock release, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}
; CHECK-LABEL: define i32 @gives(
; CHECK: [[END:end[0-9]*]]:
; CHECK-NEXT: phi i32 [ %value, %{{.*}} ], [ poison, %loop ]
define i32 @gives(ptr addrspace(1) %flag) {
entry:
  br label %loop
loop:
  %value = load atomic i32, ptr addrspace(1) %flag syncscope("device") acquire, align 4
  %ends = icmp ne i32 %value, 0
  br i1 %ends, label %out, label %loop, !lockstep.wait !0
out:
  ret i32 %value
}
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
!0 = !{}
