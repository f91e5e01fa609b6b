; RUN: lockstep-opt -passes='canonicalize-flow,linearize' --local-size=16,1,1 %s | FileCheck %s

; CHECK-LABEL: @kernel
; CHECK-NOT: __lockstep_any_lane
; CHECK: br label %then
; CHECK: select i1 {{.*}}, i64 %twice, i64
define void @kernel(ptr addrspace(1) %p) "lockstep-sub-group-size"="16" {
entry:
  %lane = call i64 @__lockstep_lane()
  %c = icmp ult i64 %lane, 5
  br i1 %c, label %then, label %join
then:
  %twice = mul i64 %lane, 2
  br label %join
join:
  %value = phi i64 [ %twice, %then ], [ %lane, %entry ]
  %place = getelementptr i64, ptr addrspace(1) %p, i64 %lane
  store i64 %value, ptr addrspace(1) %place
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
