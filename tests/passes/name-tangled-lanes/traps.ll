; RUN: lockstep-opt -nvidia=sm_90 -passes=name-tangled-lanes %s | FileCheck %s
; A lane that traps does not come back. The others meet behind the branch, as if it had returned.

; CHECK-LABEL: define void @kernel(
; CHECK: [[ALL:%.*]] = call i32 @lockstep_nvidia_lanes()
; CHECK: [[VOTE:%.*]] = call i32 @lockstep_nvidia_ballot_of_part(i32 [[ALL]], i32 {{.*}})
; CHECK-NOT: unreachable
; CHECK: call void @use(i32 {{%.*}})
; CHECK-NOT: unreachable
declare i64 @__lockstep_local_id(i32)
declare i32 @lockstep_nvidia_tangle() convergent
declare void @use(i32) convergent
declare void @llvm.trap()
define void @kernel() convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %is.wrong = icmp eq i64 %id, 20
  br i1 %is.wrong, label %trap, label %go.on
trap:
  call void @llvm.trap()
  unreachable
go.on:
  %lanes = call i32 @lockstep_nvidia_tangle()
  call void @use(i32 %lanes)
  ret void
}
