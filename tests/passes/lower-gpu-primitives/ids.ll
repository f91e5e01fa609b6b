; RUN: lockstep-opt -nvidia=sm_90 -passes='bind-launch,lower-gpu-primitives,default<O3>' %s | FileCheck %s
; RUN: lockstep-opt -nvidia=sm_90 -local-size=64,1,1 -passes='bind-launch,lower-gpu-primitives,default<O3>' %s | FileCheck %s --check-prefix=SIZE
; Ids come from registers. A known local size is a constant. No primitive is left.

; CHECK-LABEL: define dso_local ptx_kernel void @kernel(
; CHECK-DAG: call {{.*}}@llvm.nvvm.read.ptx.sreg.ctaid.x()
; CHECK-DAG: call {{.*}}@llvm.nvvm.read.ptx.sreg.ntid.x()
; CHECK-DAG: call {{.*}}@llvm.nvvm.read.ptx.sreg.tid.x()
; CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
; CHECK-NOT: __lockstep
; SIZE-LABEL: define dso_local ptx_kernel void @kernel(
; SIZE-NOT: sreg.ntid
; SIZE: ret void
declare i64 @__lockstep_local_id(i32)
declare i64 @__lockstep_group_id(i32)
declare i64 @__lockstep_local_size(i32)
declare void @__lockstep_barrier(i32) convergent
define void @kernel(ptr addrspace(1) %out) {
  %item = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %size = call i64 @__lockstep_local_size(i32 0)
  %begin = mul i64 %group, %size
  %id = add i64 %begin, %item
  %place = getelementptr i64, ptr addrspace(1) %out, i64 %id
  store i64 %id, ptr addrspace(1) %place
  call void @__lockstep_barrier(i32 1)
  store i64 %begin, ptr addrspace(1) %place
  ret void
}
