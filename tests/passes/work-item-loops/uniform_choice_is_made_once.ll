; RUN: lockstep-opt -passes='isolate-group-operations,work-item-loops' --local-size=64,1,1 %s | FileCheck %s
; Branches of the whole group that only choose a value run once, in front of the loop over the sub-groups, with what only one of
; their sides may compute. A branch on the value stays, but does not depend on the iteration. A branch with a store stays, and so
; does one that chooses a value of the work-item. A choice without such code is a selection.

; CHECK-LABEL: @kernel
; CHECK: region.0:
; CHECK: %turned.r0 = sub i32 %n, %group
; CHECK-NEXT: br i1 %is.reversed, label %reversed.r0, label %other.r0
; CHECK: uniform:
; CHECK-NEXT: %place.r0 = phi i32 [ %turned.r0, %reversed.r0 ], [ %quotient.r0, %divides.r0 ], [ %group, %other.r0 ]
; CHECK-NEXT: %less.r0 = sub i32 %leaves, 1
; CHECK-NEXT: %bound.r0 = select i1 %is.reversed, i32 %leaves, i32 %less.r0
; CHECK-NEXT: %is.leaf.r0 = icmp ult i32 %place.r0, %bound.r0
; CHECK-NEXT: br label %region.0.first
; CHECK: region.0.body:
; CHECK: br i1 %is.leaf.r0
; CHECK: store i32 %place.r0
; CHECK: br i1 %is.reversed, label %stores.r0, label %stored.r0
; CHECK: br i1 %is.folded, label %one.r0, label %two.r0
; CHECK: %mine.r0 = phi i64
; CHECK: divides.r0:
; CHECK-NEXT: %quotient.r0 = udiv i32 %group, %n
; CHECK-NEXT: br label %uniform
define void @kernel(ptr addrspace(1) %p, i32 %group, i32 %n, i32 %leaves, i1 %is.reversed, i1 %is.folded) "lockstep-sub-group-size"="8" {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  br i1 %is.reversed, label %reversed, label %other
reversed:
  %turned = sub i32 %n, %group
  br label %join
other:
  br i1 %is.folded, label %divides, label %join
divides:
  %quotient = udiv i32 %group, %n
  br label %join
join:
  %place = phi i32 [ %turned, %reversed ], [ %quotient, %divides ], [ %group, %other ]
  br i1 %is.reversed, label %joined, label %cheap
cheap:
  %less = sub i32 %leaves, 1
  br label %joined
joined:
  %bound = phi i32 [ %leaves, %join ], [ %less, %cheap ]
  %is.leaf = icmp ult i32 %place, %bound
  br i1 %is.leaf, label %leaf, label %node
leaf:
  %to = getelementptr i32, ptr addrspace(1) %p, i64 %id
  store i32 %place, ptr addrspace(1) %to
  br label %end
node:
  br i1 %is.reversed, label %stores, label %stored
stores:
  store i32 %n, ptr addrspace(1) %p
  br label %stored
stored:
  br i1 %is.folded, label %one, label %two
one:
  %twice = shl i64 %id, 1
  br label %two
two:
  %mine = phi i64 [ %twice, %one ], [ %id, %stored ]
  %at = getelementptr i32, ptr addrspace(1) %p, i64 %mine
  store i32 %n, ptr addrspace(1) %at
  br label %end
end:
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
