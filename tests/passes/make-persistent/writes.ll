; RUN: lockstep-opt -nvidia=sm_90 -passes=make-persistent %s | FileCheck %s
; A wait that writes local memory: the work-items compare its contents at each rendezvous with those at the last one. A wait
; that writes global memory may take a lock in each round: now and then, one work-item runs alone. Behind a wait, the block
; moves.

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK-DAG: call {{.*}}@take_turns(
; CHECK-DAG: load i8, ptr addrspace(3) {{%.*}}, align 1
; CHECK-DAG: xor i32 {{%.*}}, {{%.*}}
; CHECK-DAG: call {{.*}}@move(
; CHECK-NOT: @lockstep_nvidia_wait_ends(
@seen = internal addrspace(3) global i32 undef, align 4
declare void @lockstep_nvidia_wait_begins(i32)
declare void @lockstep_nvidia_wait(i32, i64, i64, i32)
declare void @lockstep_nvidia_wait_ends(i32)
declare void @llvm.nvvm.barrier.cta.sync.all(i32)
define ptx_kernel void @kernel(ptr addrspace(1) %flag, ptr addrspace(1) %count, ptr addrspace(1) "lockstep-pool" %pool) {
entry:
  call void @lockstep_nvidia_wait_begins(i32 0)
  br label %loop
loop:
  %new = load atomic i32, ptr addrspace(1) %flag syncscope("device") acquire, align 4
  store i32 %new, ptr addrspace(3) @seen, align 4
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  %all = load i32, ptr addrspace(3) @seen, align 4
  %free = icmp ne i32 %all, 0
  br i1 %free, label %end, label %again
again:
  call void @lockstep_nvidia_wait(i32 0, i64 0, i64 0, i32 0)
  br label %loop
end:
  call void @lockstep_nvidia_wait_ends(i32 0)
  call void @lockstep_nvidia_wait_begins(i32 1)
  br label %other
other:
  %old = atomicrmw add ptr addrspace(1) %count, i32 1 syncscope("device") monotonic, align 4
  %now = load atomic i32, ptr addrspace(1) %flag syncscope("device") acquire, align 4
  %done = icmp eq i32 %now, 5
  br i1 %done, label %last, label %on
on:
  %address = ptrtoint ptr addrspace(1) %flag to i64
  %wide = zext i32 %now to i64
  call void @lockstep_nvidia_wait(i32 1, i64 %address, i64 %wide, i32 -1)
  br label %other
last:
  call void @lockstep_nvidia_wait_ends(i32 1)
  ret void
}
!lockstep.waits_write_local = !{}
