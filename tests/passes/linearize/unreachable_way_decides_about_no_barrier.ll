; RUN: lockstep-opt -passes='canonicalize-flow,linearize' --local-size=16,1,1 %s | FileCheck %s
; The switch does not decide whether the barrier is met, although its default is unreachable: its branches differ
; between lanes, and the store is masked.

; CHECK-LABEL: @kernel
; CHECK: one:
; CHECK-NEXT: call void @__lockstep_mask
; CHECK-NEXT: store
; CHECK: call void @__lockstep_barrier
define void @kernel(ptr addrspace(1) %p) "lockstep-sub-group-size"="16" {
entry:
  %lane = call i64 @__lockstep_lane()
  %place = getelementptr i64, ptr addrspace(1) %p, i64 %lane
  %value = load i64, ptr addrspace(1) %place
  switch i64 %value, label %never [ i64 0, label %join
                                    i64 1, label %one ]
never:
  unreachable
one:
  store i64 7, ptr addrspace(1) %place
  br label %join
join:
  call void @__lockstep_barrier(i32 1)
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare void @__lockstep_barrier(i32) convergent nounwind
