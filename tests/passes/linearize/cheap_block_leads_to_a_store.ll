; RUN: lockstep-opt -passes='canonicalize-flow,linearize' --local-size=16,1,1 %s | FileCheck %s
; No test keeps %cheap from running without an active lane, so there must be one between it and the store.

; CHECK-LABEL: @kernel
; CHECK: cheap:
; CHECK: [[ANY:%.*]] = call i1 @__lockstep_any_lane(
; CHECK: br i1 [[ANY]], label %store, label %store.skip
define void @kernel(ptr addrspace(1) %p, ptr addrspace(1) %q, ptr addrspace(1) %r) "lockstep-sub-group-size"="16" {
entry:
  %lane = call i64 @__lockstep_lane()
  %place = getelementptr i64, ptr addrspace(1) %p, i64 %lane
  %value = load i64, ptr addrspace(1) %place
  %one = icmp eq i64 %value, 1
  br i1 %one, label %rare, label %often
rare:
  store i64 7, ptr addrspace(1) %q
  br label %end
often:
  %two = icmp eq i64 %value, 2
  br i1 %two, label %cheap, label %next
next:
  %three = icmp eq i64 %value, 3
  br i1 %three, label %store, label %end
cheap:
  %twice = mul i64 %value, %lane
  br label %store
store:
  %stored = phi i64 [ %twice, %cheap ], [ 1, %next ]
  store i64 %stored, ptr addrspace(1) %r
  br label %end
end:
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
