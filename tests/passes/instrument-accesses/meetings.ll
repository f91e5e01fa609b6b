; RUN: lockstep-opt -passes=instrument-accesses %s | FileCheck %s
; Who gets to a group operation is told where work-items may part before it.

; CHECK-LABEL: define spir_kernel void @all_get_there
; CHECK-NOT: check_fence
; CHECK: ret void
define spir_kernel void @all_get_there(i32 %n) {
  %some = icmp ult i32 %n, 5
  br i1 %some, label %meet, label %end
meet:
  call void @__lockstep_barrier(i32 1)
  br label %end
end:
  call void @__lockstep_barrier(i32 1)
  ret void
}

; The second barrier is behind the place where the ways join.
; CHECK-LABEL: define spir_kernel void @some_get_there
; CHECK: call void @__lockstep_check_fence(i64 1, ptr @{{.*}}, i64 %item, i64 0)
; CHECK-NEXT: call void @__lockstep_barrier
; CHECK-NOT: check_
; CHECK: ret void
define spir_kernel void @some_get_there() {
  %id = call i64 @__lockstep_local_id(i32 0)
  %some = icmp ult i64 %id, 5
  br i1 %some, label %meet, label %end
meet:
  call void @__lockstep_barrier(i32 1)
  br label %end
end:
  call void @__lockstep_barrier(i32 1)
  ret void
}

; Lanes are taken to go one way here, so the branch tells who wants which.
; CHECK-LABEL: define spir_kernel void @one_or_the_other
; CHECK: %[[WANTS:.*]] = sext i1 %some to i64
; CHECK: call void @__lockstep_check_choice(i64 %[[WANTS]], i64 1, ptr @{{.*}}, i64 %item, i64 0)
; CHECK: br i1 %some
define spir_kernel void @one_or_the_other() {
  %id = call i64 @__lockstep_local_id(i32 0)
  %some = icmp ult i64 %id, 5
  br i1 %some, label %one, label %other
one:
  call void @__lockstep_barrier(i32 1)
  br label %end
other:
  call void @__lockstep_barrier(i32 2)
  br label %end
end:
  ret void
}

; So do the ways of a switch that lead to others than all of the rest do.
; CHECK-LABEL: define spir_kernel void @one_of_several
; CHECK: %[[FIRST:.*]] = icmp eq i64 %id, 0
; CHECK: %[[WANTS_FIRST:.*]] = sext i1 %{{.*}} to i64
; CHECK-NEXT: call void @__lockstep_check_choice(i64 %[[WANTS_FIRST]],
; CHECK: icmp eq i64 %id, 1
; CHECK: icmp eq i64 %id, 3
; CHECK: call void @__lockstep_check_choice(
; CHECK-NOT: check_choice
; CHECK: switch i64 %id
define spir_kernel void @one_of_several() {
  %id = call i64 @__lockstep_local_id(i32 0)
  switch i64 %id, label %rest [
    i64 0, label %first
    i64 1, label %second
    i64 3, label %second
  ]
first:
  call void @__lockstep_barrier(i32 1)
  br label %end
second:
  call void @__lockstep_barrier(i32 1)
  br label %end
rest:
  call void @__lockstep_barrier(i32 2)
  br label %end
end:
  ret void
}

; Two that lead to the same barrier part nobody.
; CHECK-LABEL: define spir_kernel void @the_same_by_a_switch
; CHECK-NOT: check_choice
; CHECK: ret void
define spir_kernel void @the_same_by_a_switch() {
  %id = call i64 @__lockstep_local_id(i32 0)
  switch i64 %id, label %rest [
    i64 0, label %first
    i64 1, label %rest
  ]
first:
  br label %rest
rest:
  call void @__lockstep_barrier(i32 1)
  ret void
}

declare i64 @__lockstep_local_id(i32)
declare void @__lockstep_barrier(i32) convergent nounwind
