; RUN: lockstep-opt -passes=unmasked-guards %s | FileCheck %s
; A transpose: the next row of work-items stores the next element. A copy, in which it does not, gains nothing.

; CHECK-LABEL: @transpose
; CHECK: br i1 %all, label %then.full, label %entry.divergent
define void @transpose(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %inside = icmp ult i64 %y, %n
  br i1 %inside, label %then, label %end
then:
  %row = mul i64 %y, %n
  %index = add i64 %row, %x
  %at = getelementptr float, ptr addrspace(1) %a, i64 %index
  %value = load float, ptr addrspace(1) %at
  %column = mul i64 %x, %n
  %to.index = add i64 %column, %y
  %to = getelementptr float, ptr addrspace(1) %b, i64 %to.index
  store float %value, ptr addrspace(1) %to
  br label %end
end:
  ret void
}

; The bound is a member of a function object.
; CHECK-LABEL: @transpose_by_members
; CHECK: br i1 %all, label %then.full, label %entry.divergent
define void @transpose_by_members(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr %object) #0 {
entry:
  %n = load i64, ptr %object, !invariant.load !0
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %inside = icmp ult i64 %y, %n
  br i1 %inside, label %then, label %end
then:
  %row = mul i64 %y, %n
  %index = add i64 %row, %x
  %at = getelementptr float, ptr addrspace(1) %a, i64 %index
  %value = load float, ptr addrspace(1) %at
  %column = mul i64 %x, %n
  %to.index = add i64 %column, %y
  %to = getelementptr float, ptr addrspace(1) %b, i64 %to.index
  store float %value, ptr addrspace(1) %to
  br label %end
end:
  ret void
}
!0 = !{}

; CHECK-LABEL: @copy
; CHECK-NOT: __lockstep_all_lanes
; CHECK: ret void
define void @copy(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %inside = icmp ult i64 %y, %n
  br i1 %inside, label %then, label %end
then:
  %row = mul i64 %y, %n
  %index = add i64 %row, %x
  %at = getelementptr float, ptr addrspace(1) %a, i64 %index
  %value = load float, ptr addrspace(1) %at
  %to = getelementptr float, ptr addrspace(1) %b, i64 %index
  store float %value, ptr addrspace(1) %to
  br label %end
end:
  ret void
}

; One element for each row of work-items: lanes do not access a column.
; CHECK-LABEL: @element_of_row
; CHECK-NOT: __lockstep_all_lanes
; CHECK: ret void
define void @element_of_row(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %inside = icmp ult i64 %y, %n
  br i1 %inside, label %then, label %end
then:
  %at = getelementptr float, ptr addrspace(1) %a, i64 %y
  %value = load float, ptr addrspace(1) %at
  %row = mul i64 %y, %n
  %index = add i64 %row, %x
  %to = getelementptr float, ptr addrspace(1) %b, i64 %index
  store float %value, ptr addrspace(1) %to
  br label %end
end:
  ret void
}

; Columns of local memory, which are not loaded as tiles.
; CHECK-LABEL: @local_column
; CHECK-NOT: __lockstep_all_lanes
; CHECK: ret void
define void @local_column(ptr addrspace(3) %a, ptr addrspace(1) %b, i64 %n) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %inside = icmp ult i64 %y, %n
  br i1 %inside, label %then, label %end
then:
  %at = getelementptr [17 x float], ptr addrspace(3) %a, i64 %x, i64 %y
  %value = load float, ptr addrspace(3) %at
  %row = mul i64 %y, %n
  %index = add i64 %row, %x
  %to = getelementptr float, ptr addrspace(1) %b, i64 %index
  store float %value, ptr addrspace(1) %to
  br label %end
end:
  ret void
}

; The guard is the same in all rows, but its lanes differ: tiles have no masks.
; CHECK-LABEL: @lanes
; CHECK: br i1 %all, label %then.full, label %entry.divergent
define void @lanes(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %inside = icmp ult i64 %x, %n
  br i1 %inside, label %then, label %end
then:
  %row = mul i64 %y, %n
  %index = add i64 %row, %x
  %at = getelementptr float, ptr addrspace(1) %a, i64 %index
  %value = load float, ptr addrspace(1) %at
  %column = mul i64 %x, %n
  %to.index = add i64 %column, %y
  %to = getelementptr float, ptr addrspace(1) %b, i64 %to.index
  store float %value, ptr addrspace(1) %to
  br label %end
end:
  ret void
}

; Two conditions in blocks of their own, as LLVM leaves them: one version needs both.
; CHECK-LABEL: @conditions
; CHECK: [[BOTH:%.*]] = select i1 %column.inside, i1 %row.inside, i1 false
; CHECK-NEXT: [[SAFE:%.*]] = freeze i1 [[BOTH]]
; CHECK-NEXT: %all = call i1 @__lockstep_all_lanes(i1 [[SAFE]], i64 0, i64 0, i64 0, i32 0)
; CHECK-NEXT: br i1 %all, label %then.full, label %entry.divergent
; CHECK: entry.divergent:
; CHECK-NEXT: br i1 [[BOTH]], label %then, label %end
define void @conditions(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %column.inside = icmp ult i64 %x, %n
  br i1 %column.inside, label %second, label %end
second:
  %y = call i64 @__lockstep_local_id(i32 1)
  %row = mul i64 %y, %n
  %row.inside = icmp ult i64 %y, %n
  br i1 %row.inside, label %then, label %end
then:
  %index = add i64 %row, %x
  %at = getelementptr float, ptr addrspace(1) %a, i64 %index
  %value = load float, ptr addrspace(1) %at
  %column = mul i64 %x, %n
  %to.index = add i64 %column, %y
  %to = getelementptr float, ptr addrspace(1) %b, i64 %to.index
  store float %value, ptr addrspace(1) %to
  br label %end
end:
  ret void
}

; The second condition loads from memory, which work-items beyond the first one must not do.
; CHECK-LABEL: @condition_in_memory
; CHECK: br i1 %all, label %second.full, label %entry.divergent
; CHECK: second:
; CHECK-NEXT: load i64
define void @condition_in_memory(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %column.inside = icmp ult i64 %x, %n
  br i1 %column.inside, label %second, label %end
second:
  %height = load i64, ptr addrspace(1) %a
  %row.inside = icmp ult i64 %y, %height
  br i1 %row.inside, label %then, label %end
then:
  %column = mul i64 %x, %n
  %to.index = add i64 %column, %y
  %to = getelementptr float, ptr addrspace(1) %b, i64 %to.index
  store float 1.0, ptr addrspace(1) %to
  br label %end
end:
  ret void
}

; Groups of one row, which coalesce-work-groups runs at once: the next group stores the next element.
; CHECK-LABEL: @groups_of_one_row
; CHECK: br i1 %all, label %then.full, label %entry.divergent
define void @groups_of_one_row(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %n) #1 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_group_id(i32 1)
  %x.short = trunc i64 %x to i32
  %y.short = trunc i64 %y to i32
  %column.inside = icmp ult i32 %x.short, %n
  %row.inside = icmp ult i32 %y.short, %n
  %inside = select i1 %column.inside, i1 %row.inside, i1 false
  br i1 %inside, label %then, label %end
then:
  %column = mul i32 %x.short, %n
  %to.index = add i32 %column, %y.short
  %to.place = zext i32 %to.index to i64
  %to = getelementptr float, ptr addrspace(1) %b, i64 %to.place
  store float 1.0, ptr addrspace(1) %to
  br label %end
end:
  ret void
}

; The launch offers no neighbors.
; CHECK-LABEL: @single_groups_of_one_row
; CHECK-NOT: __lockstep_all_lanes
; CHECK: ret void
define void @single_groups_of_one_row(ptr addrspace(1) %b, i64 %n) #2 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_group_id(i32 1)
  %inside = icmp ult i64 %x, %n
  br i1 %inside, label %then, label %end
then:
  %column = mul i64 %x, %n
  %to.index = add i64 %column, %y
  %to = getelementptr float, ptr addrspace(1) %b, i64 %to.index
  store float 1.0, ptr addrspace(1) %to
  br label %end
end:
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)

attributes #0 = { "lockstep-local-size"="16,16,1" "lockstep-sub-group-size"="16" }
attributes #1 = { "lockstep-local-size"="64,1,1" "lockstep-neighbor-groups"="1,8,1" "lockstep-sub-group-size"="16" }
attributes #2 = { "lockstep-local-size"="64,1,1" "lockstep-sub-group-size"="16" }
