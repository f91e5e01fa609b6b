; RUN: lockstep-opt -nvidia=sm_90 -passes=name-tangled-lanes %s | FileCheck %s
; Where lanes diverge, those that are there vote. Behind both paths, all are there again. At the head of a loop, they are
; those that have voted to go on.

; CHECK-LABEL: define void @kernel(
; CHECK: [[ALL:%.*]] = call i32 @lockstep_nvidia_lanes()
; CHECK: call void @use(i32 [[ALL]])
; CHECK: [[FIRST:%.*]] = call i32 @lockstep_nvidia_ballot_of_part(i32 [[ALL]], i32 {{.*}})
; CHECK: first:
; CHECK: [[INNER:%.*]] = call i32 @lockstep_nvidia_ballot_of_part(i32 [[FIRST]], i32 {{.*}})
; CHECK: inner:
; CHECK-NEXT: call void @use(i32 [[INNER]])
; CHECK: join:
; CHECK-NEXT: call void @use(i32 [[ALL]])
; CHECK: loop:
; CHECK-NEXT: [[LOOP:%.*]] = phi i32 [ [[ALL]], %join ], [ [[GO_ON:%.*]], %[[LATCH:.*]] ]
; CHECK: call void @use(i32 [[LOOP]])
; CHECK: [[LATCH]]:
; CHECK: [[LEAVE:%.*]] = call i32 @lockstep_nvidia_ballot_of_part(i32 [[LOOP]], i32 {{.*}})
; CHECK-NEXT: [[GO_ON]] = xor i32 [[LOOP]], [[LEAVE]]
; CHECK: end:
; CHECK-NEXT: call void @use(i32 [[ALL]])

declare i64 @__lockstep_local_id(i32)
declare i32 @lockstep_nvidia_tangle() convergent
declare void @use(i32) convergent

; Behind two branches. Behind both, all lanes are there again.
define void @kernel(i32 %uniform) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %all = call i32 @lockstep_nvidia_tangle()
  call void @use(i32 %all)
  %few = icmp ult i64 %id, 20
  br i1 %few, label %first, label %join
first:
  %bit = and i64 %id, 1
  %odd = icmp ne i64 %bit, 0
  br i1 %odd, label %inner, label %join
inner:
  %some = call i32 @lockstep_nvidia_tangle()
  call void @use(i32 %some)
  br label %join
join:
  %again = call i32 @lockstep_nvidia_tangle()
  call void @use(i32 %again)
  br label %loop
loop:
  %i = phi i64 [ 0, %join ], [ %next, %latch ]
  %in.loop = call i32 @lockstep_nvidia_tangle()
  call void @use(i32 %in.loop)
  %third = icmp eq i64 %i, 3
  %out = and i1 %third, %few
  br i1 %out, label %end, label %latch
latch:
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %id
  br i1 %more, label %loop, label %end
end:
  %at.end = call i32 @lockstep_nvidia_tangle()
  call void @use(i32 %at.end)
  ret void
}
