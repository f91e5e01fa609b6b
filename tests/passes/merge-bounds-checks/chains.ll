; RUN: lockstep-opt -passes='merge-bounds-checks,function(simplifycfg)' %s | FileCheck %s
; Reads that each ask whether all lanes are inside: they are asked about at the first one.

declare i1 @__lockstep_all_lanes(i1, i64, i64, i64, i32) memory(none) nounwind willreturn
declare void @__lockstep_barrier(i32) convergent nounwind

; Texels at x, x + 1 and x + 2, of which the second one needs no question of its own, and another row's. What is loaded lives
; on, and so does what is computed between two of them.
; CHECK-LABEL: @neighbors
; CHECK: %below = icmp ult i32 %x, %width
; CHECK: %all.2 = call i1 @__lockstep_all_lanes(i1 %below.2,
; CHECK: %[[ROW:.*]] = and i1 %all, %all.2
; CHECK: %[[ALL:.*]] = and i1 %[[ROW]], %all.y
; CHECK: br i1 %[[ALL]], label %[[INSIDE:.*]], label %one.by.one
; CHECK: one.by.one:
; CHECK: br i1 %all, label %near, label %far
; CHECK: br i1 %all.1, label %near.1, label %far.1
; CHECK: br i1 %both, label %near.2, label %far.2
; CHECK: end:
; CHECK-NEXT: phi i32 [ {{.*}}, %[[INSIDE]] ]
; CHECK: [[INSIDE]]:
; CHECK-NEXT: load i32, ptr addrspace(1) %p
; CHECK-NOT: br
; CHECK: load i32, ptr addrspace(1)
; CHECK-NOT: br
; CHECK: load i32, ptr addrspace(1)
; CHECK-NOT: load
; CHECK: br label %end
define void @neighbors(ptr addrspace(1) %p, ptr addrspace(1) %to, i32 %x, i32 %y, i32 %width, i32 %height) {
entry:
  %below = icmp ult i32 %x, %width
  %all = call i1 @__lockstep_all_lanes(i1 %below, i64 0, i64 0, i64 0, i32 0)
  br i1 %all, label %near, label %far
near:
  %near.value = load i32, ptr addrspace(1) %p
  br label %second
far:
  %generic = addrspacecast ptr addrspace(1) %p to ptr addrspace(4)
  %far.value = load i32, ptr addrspace(4) %generic
  br label %second
second:
  %value = phi i32 [ %near.value, %near ], [ %far.value, %far ]
  %x.1 = add i32 %x, 1
  %below.1 = icmp ult i32 %x.1, %width
  %all.1 = call i1 @__lockstep_all_lanes(i1 %below.1, i64 0, i64 0, i64 0, i32 0)
  %p.1 = getelementptr i32, ptr addrspace(1) %p, i32 %x.1
  br i1 %all.1, label %near.1, label %far.1
near.1:
  %near.value.1 = load i32, ptr addrspace(1) %p.1
  br label %third
far.1:
  %generic.1 = addrspacecast ptr addrspace(1) %p.1 to ptr addrspace(4)
  %far.value.1 = load i32, ptr addrspace(4) %generic.1
  br label %third
third:
  %value.1 = phi i32 [ %near.value.1, %near.1 ], [ %far.value.1, %far.1 ]
  %sum = add i32 %value, %value.1
  %x.2 = add i32 %x.1, 1
  %below.2 = icmp ult i32 %x.2, %width
  %all.2 = call i1 @__lockstep_all_lanes(i1 %below.2, i64 0, i64 0, i64 0, i32 0)
  %below.y = icmp ult i32 %y, %height
  %all.y = call i1 @__lockstep_all_lanes(i1 %below.y, i64 0, i64 0, i64 0, i32 0)
  %both = and i1 %all.2, %all.y
  %p.2 = getelementptr i32, ptr addrspace(1) %p, i32 %x.2
  br i1 %both, label %near.2, label %far.2
near.2:
  %near.value.2 = load i32, ptr addrspace(1) %p.2
  br label %end
far.2:
  %generic.2 = addrspacecast ptr addrspace(1) %p.2 to ptr addrspace(4)
  %far.value.2 = load i32, ptr addrspace(4) %generic.2
  br label %end
end:
  %value.2 = phi i32 [ %near.value.2, %near.2 ], [ %far.value.2, %far.2 ]
  %all.values = add i32 %sum, %value.2
  store i32 %all.values, ptr addrspace(1) %to
  ret void
}

; The second place is what the first read gave.
; CHECK-LABEL: @dependent
; CHECK-NOT: one.by.one
; CHECK: ret void
define void @dependent(ptr addrspace(1) %p, ptr addrspace(1) %to, i32 %x, i32 %width) {
entry:
  %below = icmp ult i32 %x, %width
  %all = call i1 @__lockstep_all_lanes(i1 %below, i64 0, i64 0, i64 0, i32 0)
  br i1 %all, label %near, label %far
near:
  %near.value = load i32, ptr addrspace(1) %p
  br label %second
far:
  %generic = addrspacecast ptr addrspace(1) %p to ptr addrspace(4)
  %far.value = load i32, ptr addrspace(4) %generic
  br label %second
second:
  %value = phi i32 [ %near.value, %near ], [ %far.value, %far ]
  %below.1 = icmp ult i32 %value, %width
  %all.1 = call i1 @__lockstep_all_lanes(i1 %below.1, i64 0, i64 0, i64 0, i32 0)
  br i1 %all.1, label %near.1, label %end
near.1:
  store i32 %value, ptr addrspace(1) %to
  br label %end
end:
  ret void
}

; Nothing is done twice that all work-items meet at.
; CHECK-LABEL: @barrier_between
; CHECK-NOT: one.by.one
; CHECK: ret void
define void @barrier_between(ptr addrspace(1) %to, i32 %x, i32 %y, i32 %width) {
entry:
  %below = icmp ult i32 %x, %width
  %all = call i1 @__lockstep_all_lanes(i1 %below, i64 0, i64 0, i64 0, i32 0)
  br i1 %all, label %near, label %second
near:
  store i32 %x, ptr addrspace(1) %to
  br label %second
second:
  call void @__lockstep_barrier(i32 1) convergent
  %below.1 = icmp ult i32 %y, %width
  %all.1 = call i1 @__lockstep_all_lanes(i1 %below.1, i64 0, i64 0, i64 0, i32 0)
  br i1 %all.1, label %near.1, label %end
near.1:
  store i32 %y, ptr addrspace(1) %to
  br label %end
end:
  ret void
}

; Distances so large that a sum could wrap between them: all three are asked about.
; CHECK-LABEL: @far_apart
; CHECK: %[[TWO:.*]] = and i1 %all, %all.1
; CHECK: %[[THREE:.*]] = and i1 %[[TWO]], %all.2
; CHECK: br i1 %[[THREE]], label %{{.*}}, label %one.by.one
define void @far_apart(ptr addrspace(1) %to, i32 %x, i32 %width) {
entry:
  %below = icmp ult i32 %x, %width
  %all = call i1 @__lockstep_all_lanes(i1 %below, i64 0, i64 0, i64 0, i32 0)
  br i1 %all, label %near, label %second
near:
  store i32 %x, ptr addrspace(1) %to
  br label %second
second:
  %x.1 = add i32 %x, 1073741824
  %below.1 = icmp ult i32 %x.1, %width
  %all.1 = call i1 @__lockstep_all_lanes(i1 %below.1, i64 0, i64 0, i64 0, i32 0)
  br i1 %all.1, label %near.1, label %third
near.1:
  store i32 %x.1, ptr addrspace(1) %to
  br label %third
third:
  %x.2 = add i32 %x, 2147483647
  %below.2 = icmp ult i32 %x.2, %width
  %all.2 = call i1 @__lockstep_all_lanes(i1 %below.2, i64 0, i64 0, i64 0, i32 0)
  br i1 %all.2, label %near.2, label %end
near.2:
  store i32 %x.2, ptr addrspace(1) %to
  br label %end
end:
  ret void
}
