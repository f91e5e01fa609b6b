; RUN: not lockstep-opt -nvidia=sm_90 -passes='meet-behind-waits' %s 2>&1 | FileCheck %s
; RUN: sed 's/ult i64 %id, 5/ult i64 5, 6/' %s | lockstep-opt -nvidia=sm_90 -passes='meet-behind-waits' - | FileCheck %s --check-prefix=ALL
; Behind a wait, an operation of a part of a sub-group waits for its members. If some lanes may be elsewhere, they could not
; meet those that wait.

; CHECK: a kernel whose work-groups wait uses a group that is a part of a sub-group behind a wait, in divergent control flow
; ALL-LABEL: part:
; ALL-NEXT: call void @__lockstep_barrier(i32 0)
; ALL-NEXT: call i32 @lockstep_nvidia_shuffle_in_part(i32 7, i32 %seen, i32 0)
declare i64 @__lockstep_local_id(i32)
declare i32 @lockstep_nvidia_shuffle_in_part(i32, i32, i32) convergent
declare void @lockstep_nvidia_wait_begins(i32)
define ptx_kernel void @kernel(ptr addrspace(1) %flag) {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  call void @lockstep_nvidia_wait_begins(i32 0)
  br label %loop
loop:
  %seen = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %free = icmp ne i32 %seen, 0
  br i1 %free, label %waited, label %loop
waited:
  %few = icmp ult i64 %id, 5
  br i1 %few, label %part, label %end
part:
  %other = call i32 @lockstep_nvidia_shuffle_in_part(i32 7, i32 %seen, i32 0)
  br label %end
end:
  ret void
}
