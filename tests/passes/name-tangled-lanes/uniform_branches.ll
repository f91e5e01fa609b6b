; RUN: lockstep-opt -nvidia=sm_90 -passes=name-tangled-lanes %s | FileCheck %s
; A branch that all lanes take alike needs no vote.

; CHECK-LABEL: define void @kernel(
; CHECK: [[ALL:%.*]] = call i32 @lockstep_nvidia_lanes()
; CHECK-NOT: ballot
; CHECK: call void @use(i32 [[ALL]])
; CHECK-NOT: ballot
declare i32 @lockstep_nvidia_tangle() convergent
declare void @use(i32) convergent
define void @kernel(i1 %uniform) convergent {
entry:
  br i1 %uniform, label %some, label %end
some:
  %lanes = call i32 @lockstep_nvidia_tangle()
  call void @use(i32 %lanes)
  br label %end
end:
  ret void
}
