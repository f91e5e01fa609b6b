; RUN: lockstep-opt -passes='isolate-group-operations,work-item-loops' --local-size=8,1,1 %s | FileCheck %s
; A load at a uniform address leaves the loop although the loop stores through another pointer; one behind a store and
; one under a condition stay.

; CHECK-LABEL: @kernel
; CHECK: region.0:
; CHECK: %factor.r0 = load i32, ptr addrspace(1) %q, align 4
; CHECK-NEXT: %twice.r0 = shl i32 %factor.r0, 1
; CHECK-NEXT: br label
; CHECK: store i32 %twice.r0, ptr addrspace(1)
; CHECK: %late.r0 = load i32, ptr addrspace(1) %q
; CHECK: %rare.r0 = load i32, ptr addrspace(1) %r
define void @kernel(ptr addrspace(1) %p, ptr addrspace(1) %q, ptr addrspace(1) %r) {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %id
  %factor = load i32, ptr addrspace(1) %q
  %twice = shl i32 %factor, 1
  store i32 %twice, ptr addrspace(1) %place
  %late = load i32, ptr addrspace(1) %q
  %c = icmp eq i64 %id, 3
  br i1 %c, label %some, label %end
some:
  %rare = load i32, ptr addrspace(1) %r
  %sum = add i32 %rare, %late
  store i32 %sum, ptr addrspace(1) %place
  br label %end
end:
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
