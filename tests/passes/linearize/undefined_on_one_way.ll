; RUN: lockstep-opt -passes='canonicalise-flow,linearize' %s | FileCheck %s
; The phi is undefined for lanes that come by %else, so the analysis calls it uniform. What lanes from %then brought must
; survive the visit of %else.

; CHECK-LABEL: @kernel
; CHECK-NOT: {{poison|undef}}, i32 %value
; CHECK-NOT: i32 undef
define void @kernel(ptr addrspace(1) %p, ptr addrspace(1) %q) "lockstep-sub-group-size"="16" {
entry:
  %lane = call i64 @__lockstep_lane()
  %apart = icmp ult i64 %lane, 5
  br i1 %apart, label %then, label %else
then:
  %value = load i32, ptr addrspace(1) %q
  br label %join
else:
  %elsewhere = getelementptr i32, ptr addrspace(1) %p, i64 %lane
  store i32 2, ptr addrspace(1) %elsewhere
  br label %join
join:
  %either = phi i32 [ %value, %then ], [ undef, %else ]
  br i1 %apart, label %use, label %end
use:
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %lane
  store i32 %either, ptr addrspace(1) %place
  br label %end
end:
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
