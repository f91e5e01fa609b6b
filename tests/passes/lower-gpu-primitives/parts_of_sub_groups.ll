; RUN: lockstep-opt -nvidia=sm_70 -local-size=64,1,1 -passes='bind-launch,lower-gpu-primitives,default<O3>' %s | FileCheck %s
; RUN: lockstep-opt -nvidia=sm_70 -local-size=8,1,1 -passes='bind-launch,lower-gpu-primitives,default<O3>' %s | FileCheck %s --check-prefix=FEW
; An operation of a part of a sub-group is for its members, also behind a divergent branch. A warp may have fewer work-items
; than lanes.

; CHECK-LABEL: define dso_local ptx_kernel void @kernel(
; CHECK-NOT: activemask
; CHECK: br i1
; CHECK: call i32 @llvm.nvvm.vote.ballot.sync(i32 %members, i1
; CHECK: call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 %members, i32 %value
; CHECK: call void @llvm.nvvm.bar.warp.sync(i32 %members)
; CHECK-NOT: activemask
; CHECK: ret void
; FEW: [[THERE:%.*]] = lshr i32 -1,
; FEW: [[LANES:%.*]] = and i32 [[THERE]], %members
; FEW: call i32 @llvm.nvvm.vote.ballot.sync(i32 [[LANES]], i1
; FEW: call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 [[LANES]], i32 %value
; FEW: call void @llvm.nvvm.bar.warp.sync(i32 [[LANES]])
declare i64 @__lockstep_local_id(i32)
declare i32 @lockstep_nvidia_ballot_of_part(i32, i32) convergent
declare i32 @lockstep_nvidia_shuffle_in_part(i32, i32, i32) convergent
declare void @lockstep_nvidia_barrier_of_part(i32) convergent
define void @kernel(ptr addrspace(1) %out, i32 %members, i32 %value) {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %few = icmp ult i64 %id, 5
  br i1 %few, label %part, label %end
part:
  %votes = call i32 @lockstep_nvidia_ballot_of_part(i32 %members, i32 %value)
  %other = call i32 @lockstep_nvidia_shuffle_in_part(i32 %members, i32 %value, i32 3)
  %sum = add i32 %votes, %other
  call void @lockstep_nvidia_barrier_of_part(i32 %members)
  %place = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %sum, ptr addrspace(1) %place
  br label %end
end:
  ret void
}
