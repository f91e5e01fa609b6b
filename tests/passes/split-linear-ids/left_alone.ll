; RUN: lockstep-opt -passes=split-linear-ids %s | FileCheck %s
; CHECK-NOT: whole.rows

; Work-items two apart.
define void @multiple(ptr addrspace(1) %a, i32 %w) "lockstep-local-size"="256,1,1" "lockstep-sub-group-size"="16" {
  %l = call range(i64 0, 256) i64 @__lockstep_local_id(i32 0)
  %i = trunc i64 %l to i32
  %even = shl i32 %i, 1
  %y = udiv i32 %even, %w
  %at = getelementptr float, ptr addrspace(1) %a, i32 %y
  store float 0.0, ptr addrspace(1) %at
  ret void
}

; A divisor of each work-item, and one of which no sub-group is a part.
define void @divisors(ptr addrspace(1) %a) "lockstep-local-size"="256,1,1" "lockstep-sub-group-size"="16" {
  %l = call range(i64 0, 256) i64 @__lockstep_local_id(i32 0)
  %i = trunc i64 %l to i32
  %from = getelementptr i32, ptr addrspace(1) %a, i64 %l
  %own = load i32, ptr addrspace(1) %from
  %y = udiv i32 %i, %own
  %z = udiv i32 %y, 12
  %at = getelementptr i32, ptr addrspace(1) %a, i32 %z
  store i32 %y, ptr addrspace(1) %at
  ret void
}

; A sub-group has pieces of two rows of the group.
define void @rows_of_group(ptr addrspace(1) %a, i32 %w) "lockstep-local-size"="24,2,1" "lockstep-sub-group-size"="16" {
  %l = call range(i64 0, 24) i64 @__lockstep_local_id(i32 0)
  %i = trunc i64 %l to i32
  %y = udiv i32 %i, %w
  %at = getelementptr float, ptr addrspace(1) %a, i32 %y
  store float 0.0, ptr addrspace(1) %at
  ret void
}

; The first work-item of a row is a multiple of the lanes only if the divisor is not.
define void @shifted(ptr addrspace(1) %a, i32 %w) "lockstep-local-size"="256,1,1" "lockstep-sub-group-size"="16" {
  %l = call range(i64 0, 256) i64 @__lockstep_local_id(i32 0)
  %i = trunc i64 %l to i32
  %last = add i32 %w, -1
  %left = add i32 %last, %i
  %right = add i32 %i, 1
  %x = urem i32 %left, %w
  %z = urem i32 %right, %w
  %from = getelementptr i32, ptr addrspace(1) %a, i32 %x
  %to = getelementptr i32, ptr addrspace(1) %a, i32 %z
  %value = load i32, ptr addrspace(1) %from
  store i32 %value, ptr addrspace(1) %to
  ret void
}

; A signed loop without a bound: the number may wrap.
define void @endless(ptr addrspace(1) %a, i32 %w, i32 %step) "lockstep-local-size"="256,1,1" "lockstep-sub-group-size"="16" {
entry:
  %l = call range(i64 0, 256) i64 @__lockstep_local_id(i32 0)
  %start = trunc i64 %l to i32
  br label %body
body:
  %i = phi i32 [ %start, %entry ], [ %next, %body ]
  %y = sdiv i32 %i, %w
  %at = getelementptr float, ptr addrspace(1) %a, i32 %y
  store volatile float 0.0, ptr addrspace(1) %at
  %next = add i32 %i, %step
  %more = icmp ne i32 %next, 0
  br i1 %more, label %body, label %end
end:
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
