; RUN: lockstep-opt -passes='isolate-group-operations,work-item-loops' --local-size=64,1,1 %s | FileCheck %s
; A loop that only computes from values of the group runs once, in front of the loop over the sub-groups. One that stores stays,
; and so does one that depends on the work-item.

; CHECK-LABEL: @kernel
; CHECK: region.0:
; CHECK: br label %level.r0
; CHECK: uniform:
; CHECK-NEXT: br label %region.0.first
; CHECK: br i1 %more.r0, label %level.r0, label %uniform
; CHECK: then.r0:
; CHECK: br i1 %again.r0, label %stored.r0, label %between.r0
; CHECK: br i1 %on.r0, label %own.r0, label %done.r0
define void @kernel(ptr addrspace(1) %p, i32 %group, i32 %n) "lockstep-sub-group-size"="8" {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  br label %level
level:
  %first = phi i32 [ 0, %entry ], [ %end, %level ]
  %count = phi i32 [ %n, %entry ], [ %fewer, %level ]
  %end = add i32 %first, %count
  %fewer = lshr i32 %count, 8
  %more = icmp ule i32 %end, %group
  br i1 %more, label %level, label %then
then:
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %id
  store i32 %first, ptr addrspace(1) %place
  br label %stored
stored:
  %i = phi i32 [ 0, %then ], [ %next, %stored ]
  %next = add i32 %i, 1
  store i32 %i, ptr addrspace(1) %p
  %again = icmp ult i32 %next, %n
  br i1 %again, label %stored, label %between
between:
  %mine = trunc i64 %id to i32
  br label %own
own:
  %j = phi i32 [ 0, %between ], [ %step, %own ]
  %step = add i32 %j, %mine
  %on = icmp ult i32 %step, %n
  br i1 %on, label %own, label %done
done:
  store i32 %j, ptr addrspace(1) %place
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
