; RUN: lockstep-opt -nvidia=sm_90 -local-size=64,1,1 -passes='bind-launch,lower-gpu-primitives,default<O3>' %s | FileCheck %s
; All lanes of a warp reach the first barrier together. Behind a divergent branch with a return, they may come one by one.
; CHECK-LABEL: define dso_local ptx_kernel void @kernel(
; CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
; CHECK: br i1
; CHECK: call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
declare i64 @__lockstep_local_id(i32)
declare void @__lockstep_barrier(i32) convergent
define void @kernel(ptr addrspace(1) %out, i64 %left) convergent {
entry:
  call void @__lockstep_barrier(i32 1)
  %id = call i64 @__lockstep_local_id(i32 0)
  %few = icmp ult i64 %id, %left
  br i1 %few, label %part, label %end
part:
  call void @__lockstep_barrier(i32 1)
  %place = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 1, ptr addrspace(1) %place
  br label %end
end:
  ret void
}
