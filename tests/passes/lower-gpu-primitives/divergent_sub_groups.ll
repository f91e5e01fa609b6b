; RUN: lockstep-opt -nvidia=sm_90 -local-size=64,1,1 -passes='bind-launch,lower-gpu-primitives,default<O3>' %s | FileCheck %s
; RUN: lockstep-opt -nvidia=sm_70 -local-size=64,1,1 -passes='bind-launch,lower-gpu-primitives,default<O3>' %s | FileCheck %s --check-prefix=OLD
; A sub-group operation that all lanes reach names all of them. Behind a divergent branch it is for the lanes that are there.
; GPUs before sm_80 have no instruction that reduces.

; CHECK-LABEL: define dso_local ptx_kernel void @kernel(
; CHECK: call i32 @llvm.nvvm.redux.sync.add(i32 %value, i32 -1)
; CHECK: br i1
; CHECK: [[MASK:%.*]] = {{.*}}call i32 @llvm.nvvm.activemask()
; CHECK: call i32 @llvm.nvvm.redux.sync.umax(i32 %value, i32 [[MASK]])
; OLD-LABEL: define dso_local ptx_kernel void @kernel(
; OLD-NOT: redux
; OLD: call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %value
; OLD-NOT: redux
; OLD: ret void
declare i64 @__lockstep_local_id(i32)
declare i32 @__lockstep_sub_group_reduce_i32(i32, i32, i32) convergent
define void @kernel(ptr addrspace(1) %out, i32 %value) {
entry:
  %sum = call i32 @__lockstep_sub_group_reduce_i32(i32 0, i32 0, i32 %value)
  store i32 %sum, ptr addrspace(1) %out
  %id = call i64 @__lockstep_local_id(i32 0)
  %few = icmp ult i64 %id, 5
  br i1 %few, label %part, label %end
part:
  %most = call i32 @__lockstep_sub_group_reduce_i32(i32 5, i32 0, i32 %value)
  %place = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %most, ptr addrspace(1) %place
  br label %end
end:
  ret void
}
