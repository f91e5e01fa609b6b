; RUN: lockstep-opt -passes='unmasked-guards' %s | FileCheck %s
; `if (x < n && y < n)` before a barrier, in groups of 64 x 1 that may be coalesced: whole groups leave by `y < n`, and have a
; version for groups of which all work-items pass `x < n`.

; CHECK-LABEL: @conjunction(
; CHECK: entry:
; CHECK: [[GROUP:%.*]] = freeze i1 %y.passes
; CHECK: br i1 [[GROUP]], label %guard.of.items, label %end
; CHECK: guard.of.items:
; CHECK: [[GREATEST:%.*]] = add i64 %first, 63
; CHECK: [[HOLDS:%.*]] = icmp ult i64 [[GREATEST]], %n
; CHECK: [[ALL:%.*]] = and i1 [[HOLDS]],
; CHECK: br i1 [[ALL]], label %body.full, label %guard.of.items.divergent
; CHECK: guard.of.items.divergent:
; CHECK: br i1 %x.passes, label %body, label %end
define void @conjunction(ptr addrspace(3) %to, i64 %n) #0 {
entry:
  %id = call range(i64 0, 64) i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %first = mul i64 %group, 64
  %x = add i64 %first, %id
  %x.passes = icmp ult i64 %x, %n
  %y = call i64 @__lockstep_group_id(i32 1)
  %y.passes = icmp ult i64 %y, %n
  %passes = and i1 %x.passes, %y.passes
  br i1 %passes, label %body, label %end
body:
  %to.at = getelementptr float, ptr addrspace(3) %to, i64 %id
  store float 1.0, ptr addrspace(3) %to.at
  call void @__lockstep_barrier(i32 1)
  br label %end
end:
  ret void
}

; The same by a return.
; CHECK-LABEL: @disjunction(
; CHECK: [[GROUP:%.*]] = freeze i1 %y.leaves
; CHECK: br i1 [[GROUP]], label %end, label %guard.of.items
; CHECK: guard.of.items:
; CHECK: br i1 {{%.*}}, label %body.full, label %guard.of.items.divergent
; CHECK: guard.of.items.divergent:
; CHECK: br i1 %x.leaves, label %end, label %body
define void @disjunction(ptr addrspace(3) %to, i64 %n) #0 {
entry:
  %id = call range(i64 0, 64) i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %first = mul i64 %group, 64
  %x = add i64 %first, %id
  %x.leaves = icmp uge i64 %x, %n
  %y = call i64 @__lockstep_group_id(i32 1)
  %y.leaves = icmp uge i64 %y, %n
  %leaves = select i1 %x.leaves, i1 true, i1 %y.leaves
  br i1 %leaves, label %end, label %body
body:
  %to.at = getelementptr float, ptr addrspace(3) %to, i64 %id
  store float 1.0, ptr addrspace(3) %to.at
  call void @__lockstep_barrier(i32 1)
  br label %end
end:
  ret void
}

; One comparison of both: nothing can be split.
; CHECK-LABEL: @sum(
; CHECK-NOT: guard.of.items
; CHECK: ret void
define void @sum(ptr addrspace(3) %to, i64 %n) #0 {
entry:
  %id = call range(i64 0, 64) i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_group_id(i32 1)
  %both = add i64 %id, %y
  %passes = icmp ult i64 %both, %n
  br i1 %passes, label %body, label %end
body:
  %to.at = getelementptr float, ptr addrspace(3) %to, i64 %id
  store float 1.0, ptr addrspace(3) %to.at
  call void @__lockstep_barrier(i32 1)
  br label %end
end:
  ret void
}

; Without a barrier, or code that ends elsewhere: the branch stays.
; CHECK-LABEL: @without_barrier(
; CHECK-NOT: guard.of.items
; CHECK: ret void
define void @without_barrier(ptr addrspace(3) %to, i64 %n) #0 {
entry:
  %id = call range(i64 0, 64) i64 @__lockstep_local_id(i32 0)
  %x.passes = icmp ult i64 %id, %n
  %y = call i64 @__lockstep_group_id(i32 1)
  %y.passes = icmp ult i64 %y, %n
  %passes = and i1 %x.passes, %y.passes
  br i1 %passes, label %body, label %end
body:
  %to.at = getelementptr float, ptr addrspace(3) %to, i64 %id
  store float 1.0, ptr addrspace(3) %to.at
  br label %end
end:
  ret void
}

declare void @__lockstep_barrier(i32) convergent nounwind
declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)

attributes #0 = { "lockstep-local-size"="64,1,1" "lockstep-sub-group-size"="16" "lockstep-neighbor-groups"="1,8,1" }
