; RUN: lockstep-opt -passes='isolate-group-operations,work-item-loops' --local-size=8,1,1 %s | FileCheck %s
; Beyond the first bound there is nothing to do, but work-items below it compare with the next one again.

; CHECK-LABEL: @kernel
; CHECK-NOT: region.0.body:
; CHECK: region.0.rest:
; CHECK: %works.r0 = icmp ult i64 %{{.*}}, %bound.r0
; CHECK: br i1 %works.r0
define void @kernel(ptr addrspace(1) %p, i64 %n) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  br label %header
header:
  %bound = phi i64 [ %n, %entry ], [ %less, %work ]
  %works = icmp ult i64 %id, %bound
  br i1 %works, label %work, label %end
work:
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %bound
  store i32 1, ptr addrspace(1) %place
  %less = lshr i64 %bound, 1
  br label %header
end:
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
