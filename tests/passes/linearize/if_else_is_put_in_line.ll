; RUN: lockstep-opt -passes='canonicalize-flow,linearize,instsimplify' --local-size=16,1,1 %s | FileCheck %s
; Both sides of a divergent branch run one after the other, each if one lane wants it; the value is selected.

; CHECK-LABEL: @kernel
; CHECK: %small = icmp ult i64 %lane, 7
; CHECK: [[NOT:%.*]] = xor i1 %small, true
; CHECK: [[ELSE:%.*]] = call i1 @__lockstep_any_lane(i1 [[NOT]])
; CHECK: br i1 [[ELSE]], label %else, label %else.skip
; CHECK: else:
; CHECK: call void @__lockstep_mask(i1 [[NOT]])
; CHECK: %other = load i32
; CHECK: [[THEN:%.*]] = call i1 @__lockstep_any_lane(i1 %small)
; CHECK: br i1 [[THEN]], label %then, label %then.skip
; CHECK: join:
; CHECK-NOT: __lockstep_mask
; CHECK: store i32
define void @kernel(ptr addrspace(1) %p, ptr addrspace(1) %q, ptr addrspace(1) %r) "lockstep-sub-group-size"="16" {
entry:
  %lane = call i64 @__lockstep_lane()
  %small = icmp ult i64 %lane, 7
  br i1 %small, label %then, label %else
then:
  %one = load i32, ptr addrspace(1) %p
  br label %join
else:
  %other = load i32, ptr addrspace(1) %q
  br label %join
join:
  %value = phi i32 [ %one, %then ], [ %other, %else ]
  %place = getelementptr i32, ptr addrspace(1) %r, i64 %lane
  store i32 %value, ptr addrspace(1) %place
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
