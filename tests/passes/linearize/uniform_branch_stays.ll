; RUN: lockstep-opt -passes='canonicalize-flow,linearize' --local-size=16,1,1 %s | FileCheck %s

; CHECK-LABEL: @kernel
; CHECK-NOT: __lockstep_any_lane
; CHECK-NOT: __lockstep_mask
; CHECK: br i1 %c,
; CHECK-NOT: select
; CHECK: %value = phi i32
define void @kernel(ptr addrspace(1) %p, i1 %c) "lockstep-sub-group-size"="16" {
entry:
  %lane = call i64 @__lockstep_lane()
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %lane
  br i1 %c, label %then, label %join
then:
  %one = load i32, ptr addrspace(1) %place
  br label %join
join:
  %value = phi i32 [ %one, %then ], [ 0, %entry ]
  store i32 %value, ptr addrspace(1) %place
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
