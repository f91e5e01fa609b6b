; RUN: lockstep-opt -nvidia=sm_90 -passes=make-persistent %s | FileCheck %s
; The kernel runs groups until there are no more. All work-items that meet go to one block. What a suspended group needs
; later is stored and loaded again.

; CHECK-LABEL: define ptx_kernel void @kernel(
; A barrier is a rendezvous by votes in local memory. If nobody votes, all are there, and they go on at once.
; CHECK-LABEL: {{^}}rendezvous:
; CHECK: call void @llvm.nvvm.barrier.cta.sync.all(i32 noundef 0)
; CHECK: [[PLACE:%.*]] = getelementptr {{.*}}ptr addrspace(3) {{.*}}@lockstep_control
; CHECK: [[VOTES:%.*]] = load volatile i32, ptr addrspace(3) [[PLACE]]
; CHECK: [[NONE:%.*]] = icmp eq i32 [[VOTES]], 0
; CHECK: br i1 [[NONE]], label %met, label %places
; CHECK-NOT: @llvm.nvvm.barrier.cta.red
; CHECK: {{^}}resumed{{[0-9]*}}:
; CHECK: load i32, ptr addrspace(1)
; CHECK: switch i32 {{%.*}}, label %no_more [
; CHECK-NEXT: i32 1, label %entry
; CHECK-NEXT: i32 2, label %resume
; CHECK: {{^}}places:
; CHECK: {{^}}suspended{{[0-9]*}}:
; CHECK: store i32 %sum.reg2mem{{.*}}, ptr addrspace(1)
; CHECK-NOT: @lockstep_nvidia_wait(
; CHECK-NOT: @lockstep_nvidia_current_group
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare i32 @lockstep_nvidia_current_group()
declare void @lockstep_nvidia_wait_begins(i32)
declare void @lockstep_nvidia_wait(i32, i64, i64, i32)
define ptx_kernel void @kernel(ptr addrspace(1) %values, ptr addrspace(1) %flag, ptr addrspace(1) "lockstep-pool" %pool) {
entry:
  %id = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %group = call i32 @lockstep_nvidia_current_group()
  %place = getelementptr i32, ptr addrspace(1) %values, i32 %id
  %value = load i32, ptr addrspace(1) %place, align 4
  %sum = add i32 %value, %group
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  call void @lockstep_nvidia_wait_begins(i32 0)
  br label %loop
loop:
  %seen = load atomic i32, ptr addrspace(1) %flag syncscope("device") acquire, align 4
  %free = icmp ne i32 %seen, 0
  br i1 %free, label %end, label %again
again:
  %address = ptrtoint ptr addrspace(1) %flag to i64
  %wide = zext i32 %seen to i64
  call void @lockstep_nvidia_wait(i32 0, i64 %address, i64 %wide, i32 4)
  br label %loop
end:
  store i32 %sum, ptr addrspace(1) %place, align 4
  ret void
}
