; RUN: lockstep-opt -nvidia=sm_90 -passes='meet-behind-waits' %s | FileCheck %s
; Between a wait and an operation of all lanes is a barrier, if all of the group reach the operation, or a rendezvous of the
; sub-group. A barrier of the program suffices, and so does divergence: then the operation takes the lanes that are there.

; CHECK-LABEL: define ptx_kernel void @kernel(
; CHECK: call i32 @__lockstep_sub_group_reduce_i32(i32 0, i32 0, i32 1)
; CHECK: call void @lockstep_nvidia_wait_begins(i32 0)
; CHECK-LABEL: waited:
; CHECK-NEXT: call void @__lockstep_barrier(i32 0)
; CHECK-NEXT: call i32 @__lockstep_sub_group_reduce_i32(i32 0, i32 0, i32 2)
; CHECK-NEXT: call i32 @__lockstep_sub_group_reduce_i32(i32 0, i32 0, i32 3)
; CHECK: call void @lockstep_nvidia_wait_begins(i32 1)
; CHECK-LABEL: first:
; CHECK-NEXT: call void @lockstep_nvidia_sub_group_rendezvous()
; CHECK-NEXT: call i32 @__lockstep_sub_group_reduce_i32(i32 0, i32 0, i32 4)
; CHECK-LABEL: few:
; CHECK-NEXT: call i32 @__lockstep_sub_group_reduce_i32(i32 0, i32 0, i32 5)
; CHECK-LABEL: end:
; CHECK-NEXT: call void @__lockstep_barrier(i32 1)
; CHECK-NEXT: call i32 @__lockstep_sub_group_reduce_i32(i32 0, i32 0, i32 6)
declare i64 @__lockstep_local_id(i32)
declare i32 @__lockstep_sub_group_id()
declare void @__lockstep_barrier(i32) convergent
declare i32 @__lockstep_sub_group_reduce_i32(i32, i32, i32) convergent
declare void @lockstep_nvidia_wait_begins(i32)
define ptx_kernel void @kernel(ptr addrspace(1) %flag) {
entry:
  %a = call i32 @__lockstep_sub_group_reduce_i32(i32 0, i32 0, i32 1)
  call void @lockstep_nvidia_wait_begins(i32 0)
  br label %loop
loop:
  %seen = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %free = icmp ne i32 %seen, 0
  br i1 %free, label %waited, label %loop
waited:
  %b = call i32 @__lockstep_sub_group_reduce_i32(i32 0, i32 0, i32 2)
  %c = call i32 @__lockstep_sub_group_reduce_i32(i32 0, i32 0, i32 3)
  call void @lockstep_nvidia_wait_begins(i32 1)
  %number = call i32 @__lockstep_sub_group_id()
  %is_first = icmp eq i32 %number, 0
  br i1 %is_first, label %first, label %others
first:
  %d = call i32 @__lockstep_sub_group_reduce_i32(i32 0, i32 0, i32 4)
  br label %others
others:
  %id = call i64 @__lockstep_local_id(i32 0)
  %is_few = icmp ult i64 %id, 5
  br i1 %is_few, label %few, label %end
few:
  %e = call i32 @__lockstep_sub_group_reduce_i32(i32 0, i32 0, i32 5)
  br label %end
end:
  call void @__lockstep_barrier(i32 1)
  %f = call i32 @__lockstep_sub_group_reduce_i32(i32 0, i32 0, i32 6)
  ret void
}
