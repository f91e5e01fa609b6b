; RUN: lockstep-opt -passes='canonicalize-flow,linearize,instsimplify' --local-size=16,1,1 %s | FileCheck %s
; Branches in branches: %b, %c and %d stand before whoever skips %a, and before whoever ran through it. Where the rest of
; the way is the same, it is there once: ten tests. With tests of its own for each way there were twelve, and in a tree of
; branches they are as many as its leaves times its depth.

; CHECK-LABEL: @kernel
; CHECK-COUNT-10: call i1 @__lockstep_any_lane
; CHECK-NOT: call i1 @__lockstep_any_lane
define void @kernel(ptr addrspace(1) %p) "lockstep-sub-group-size"="16" {
entry:
  %lane = call i64 @__lockstep_lane()
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %lane
  %one = icmp ugt i64 %lane, 3
  br i1 %one, label %d, label %lower
lower:
  %two = icmp ugt i64 %lane, 2
  br i1 %two, label %c, label %lowest
lowest:
  %three = icmp ugt i64 %lane, 1
  br i1 %three, label %b, label %a
a:
  store i32 1, ptr addrspace(1) %place
  br label %end
b:
  store i32 2, ptr addrspace(1) %place
  br label %end
c:
  store i32 3, ptr addrspace(1) %place
  br label %end
d:
  store i32 4, ptr addrspace(1) %place
  br label %end
end:
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
