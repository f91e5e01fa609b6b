; RUN: lockstep-opt -passes='canonicalize-flow,linearize,instsimplify' --local-size=16,1,1 %s | FileCheck %s
; The loop runs while one lane wants to; a lane that leaves takes its value along. The counter is the same in all lanes
; that are left and needs no select.

; CHECK-LABEL: @kernel
; CHECK: loop:
; CHECK-DAG: [[LIVE:%.*]] = phi i1 [ true, %entry ], [ [[AGAIN:%.*]], %loop.again ]
; CHECK-DAG: [[KEPT:%.*]] = phi i32 [ poison, %entry ], [ [[NEW:%.*]], %loop.again ]
; CHECK-DAG: %i = phi i32 [ 0, %entry ], [ %next, %loop.again ]
; CHECK: call void @__lockstep_mask(i1 [[LIVE]])
; CHECK: [[LEAVES:%.*]] = select i1 [[LIVE]], i1 %done, i1 false
; CHECK: [[NEW]] = select i1 [[LEAVES]], i32 %i, i32 [[KEPT]]
; CHECK: [[AGAIN]] = select i1 [[LIVE]], i1 {{%.*}}, i1 false
; CHECK: loop.again:
; CHECK: [[ANY:%.*]] = call i1 @__lockstep_any_lane(i1 [[AGAIN]])
; CHECK: br i1 [[ANY]], label %loop, label %loop.exit
define void @kernel(ptr addrspace(1) %p) "lockstep-sub-group-size"="16" {
entry:
  %lane = call i64 @__lockstep_lane()
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %lane
  %limit = load i32, ptr addrspace(1) %place
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %done = icmp sgt i32 %i, %limit
  br i1 %done, label %end, label %loop
end:
  store i32 %i, ptr addrspace(1) %place
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
