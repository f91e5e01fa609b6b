; RUN: lockstep-opt -passes=split-linear-ids %s | FileCheck %s
; RUN: lockstep-opt -passes='split-linear-ids,lane-ids' %s | FileCheck %s --check-prefix=LANES
; The position is a quotient and a remainder of a linear id. With rows of whole sub-groups, both are computed for the first
; lane; lane-ids makes its id uniform.

; CHECK-LABEL: @position
; CHECK: [[REST:%.*]] = and i32 %w, 15
; CHECK: icmp eq i32 [[REST]], 0
; CHECK: br i1 %{{.*}}, label %entry.any.rows.whole.rows, label %entry.any.rows
; CHECK: entry.any.rows.whole.rows:
; CHECK: [[FIRST:%.*]] = sub i64 {{%.*}}, %lane
; CHECK: [[BASE:%.*]] = trunc i64 {{%.*}} to i32
; CHECK: udiv i32 [[BASE]], %w
; CHECK: [[X:%.*]] = urem i32 [[BASE]], %w
; CHECK: add nuw nsw i32 [[X]], {{%.*}}
; CHECK: entry.any.rows:
; CHECK: %y = udiv i32 %i, %w
; LANES-LABEL: @position
; LANES: [[ID:%.*]] = call i64 @__lockstep_local_id(i32 0)
; LANES: entry.any.rows.whole.rows:
; LANES-NOT: sub i64
; LANES: [[BASE:%.*]] = add i64 {{%.*}}, [[ID]]
; LANES: udiv i32
define void @position(ptr addrspace(1) %a, i32 %w, i32 %h) #0 {
entry:
  %g = call i64 @__lockstep_group_id(i32 0)
  %first = shl i64 %g, 8
  %l = call range(i64 0, 256) i64 @__lockstep_local_id(i32 0)
  %id = or disjoint i64 %first, %l
  %i = trunc i64 %id to i32
  %y = udiv i32 %i, %w
  %x = urem i32 %i, %w
  %column = mul i32 %x, %h
  %place = add i32 %column, %y
  %at = getelementptr float, ptr addrspace(1) %a, i32 %place
  store float 0.0, ptr addrspace(1) %at
  ret void
}

; Signed numbers must not be negative; the divisor of the guard is the program's.
; CHECK-LABEL: @signed
; CHECK: icmp sgt i32 %w, 0
; CHECK: icmp ult i64 {{%.*}}, 2147483393
; CHECK: entry.any.rows.whole.rows:
; CHECK: sdiv i32 {{%.*}}, %w
define void @signed(ptr addrspace(1) %a, i32 %w) #0 {
entry:
  %g = call i64 @__lockstep_group_id(i32 0)
  %first = shl i64 %g, 8
  %l = call range(i64 0, 256) i64 @__lockstep_local_id(i32 0)
  %id = or disjoint i64 %first, %l
  %i = trunc i64 %id to i32
  %is.zero = icmp eq i32 %w, 0
  %is.least = icmp eq i32 %i, -2147483648
  %is.minus.one = icmp eq i32 %w, -1
  %overflows = and i1 %is.least, %is.minus.one
  %traps = or i1 %is.zero, %overflows
  %divisor = select i1 %traps, i32 1, i32 %w
  %y = sdiv i32 %i, %divisor
  %at = getelementptr float, ptr addrspace(1) %a, i32 %y
  store float 0.0, ptr addrspace(1) %at
  ret void
}

; With barriers, rows are those of whole groups.
; CHECK-LABEL: @barrier
; CHECK: and i32 %w, 255
; CHECK: entry.any.rows.whole.rows:
; CHECK-NOT: __lockstep_lane
; CHECK: call void @__lockstep_barrier
define void @barrier(ptr addrspace(1) %a, i32 %w) #0 {
entry:
  %g = call i64 @__lockstep_group_id(i32 0)
  %first = shl i64 %g, 8
  %l = call range(i64 0, 256) i64 @__lockstep_local_id(i32 0)
  %id = or disjoint i64 %first, %l
  %i = trunc i64 %id to i32
  %y = udiv i32 %i, %w
  call void @__lockstep_barrier(i32 1)
  %at = getelementptr float, ptr addrspace(1) %a, i32 %y
  store float 0.0, ptr addrspace(1) %at
  ret void
}

; A loop of an int that adds get_global_size(0). The first work-item has a counter of its own; no sum may wrap.
; CHECK-LABEL: @loop
; CHECK: icmp ult i64 %size, 1073741824
; CHECK: icmp ult i32 %n, 1073741824
; CHECK: %first.in.row = phi i32
; CHECK: sdiv i32 %first.in.row, %w
define void @loop(ptr addrspace(1) %a, i32 %w, i32 %n) #0 {
entry:
  %g = call i64 @__lockstep_group_id(i32 0)
  %first = shl i64 %g, 8
  %l = call range(i64 0, 256) i64 @__lockstep_local_id(i32 0)
  %id = or disjoint i64 %first, %l
  %start = trunc i64 %id to i32
  %size = call i64 @__lockstep_global_size(i32 0)
  %any = icmp slt i32 %start, %n
  br i1 %any, label %preheader, label %end
preheader:
  br label %body
body:
  %i = phi i32 [ %start, %preheader ], [ %next, %body ]
  %wide = phi i64 [ %id, %preheader ], [ %sum, %body ]
  %y = sdiv i32 %i, %w
  %at = getelementptr float, ptr addrspace(1) %a, i32 %y
  store float 0.0, ptr addrspace(1) %at
  %high = shl i64 %wide, 32
  %extended = ashr exact i64 %high, 32
  %sum = add i64 %size, %extended
  %next = trunc i64 %sum to i32
  %more = icmp slt i32 %next, %n
  br i1 %more, label %body, label %end
end:
  ret void
}

; The id is the local id. The one of the group's first work-item is the constant 0.
; CHECK-LABEL: @local_id_with_barrier
; CHECK: br i1 %{{.*}}, label %[[WHOLE:.*whole.rows]], label
; CHECK: [[WHOLE]]:
; CHECK: [[PLACE:%.*]] = call i64 @__lockstep_local_id(i32 0)
; CHECK: [[REST:%.*]] = urem i32 0, %w
; CHECK: add nuw nsw i32 [[REST]], {{%.*}}
define void @local_id_with_barrier(ptr addrspace(1) %a, i32 %w) #0 {
entry:
  call void @__lockstep_barrier(i32 1)
  %l = call range(i64 0, 256) i64 @__lockstep_local_id(i32 0)
  %i = trunc i64 %l to i32
  %x = urem i32 %i, %w
  %wide = zext i32 %x to i64
  %at = getelementptr i32, ptr addrspace(1) %a, i64 %wide
  store i32 1, ptr addrspace(1) %at
  call void @__lockstep_barrier(i32 1)
  ret void
}

; A loop that starts with a remainder: that of the first work-item is computed before the loop's.
; CHECK-LABEL: @loop_from_remainder
; CHECK: [[FROM:%.*]] = urem i32 {{%.*}}, 96
; CHECK: %first.in.row = phi i32 [ [[FROM]], %{{.*}} ], [ [[NEXT:%.*]], %{{.*}} ]
; CHECK: udiv i32 %first.in.row, %m
; CHECK: [[NEXT]] = add i32 %first.in.row, 64
define void @loop_from_remainder(ptr addrspace(1) %a, i32 %n, i32 %m) #0 {
entry:
  %l = call range(i64 0, 256) i64 @__lockstep_local_id(i32 0)
  %i = trunc i64 %l to i32
  %start = urem i32 %i, 96
  br label %body
body:
  %x = phi i32 [ %start, %entry ], [ %next, %body ]
  %y = udiv i32 %x, %m
  %at = getelementptr float, ptr addrspace(1) %a, i32 %y
  store float 0.0, ptr addrspace(1) %at
  %next = add i32 %x, 64
  %more = icmp ult i32 %next, %n
  br i1 %more, label %body, label %end
end:
  ret void
}

; With a row for each group, the first id of a sum with an argument is the argument.
; CHECK-LABEL: @argument_and_barrier
; CHECK: entry.any.rows.whole.rows:
; CHECK: [[FIRST:%.*]] = zext i32 %k to i64
; CHECK: udiv i64 [[FIRST]], %v
define void @argument_and_barrier(ptr addrspace(1) %a, i32 %k, i64 %v) #0 {
entry:
  %l = call range(i64 0, 256) i64 @__lockstep_local_id(i32 0)
  %i = trunc i64 %l to i32
  call void @__lockstep_barrier(i32 1)
  %j = add i32 %i, %k
  %wide = zext i32 %j to i64
  %z = udiv i64 %wide, %v
  %at = getelementptr float, ptr addrspace(1) %a, i64 %z
  store float 0.0, ptr addrspace(1) %at
  ret void
}

declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_global_size(i32) nounwind willreturn memory(none)
declare void @__lockstep_barrier(i32) convergent nounwind
attributes #0 = { "lockstep-local-size"="256,1,1" "lockstep-sub-group-size"="16" }
