; RUN: lockstep-opt -passes=instrument-accesses %s | FileCheck %s
; The count of barriers begins anew when it is full, and is not carried on to what stands beside it: a bit of each is added
; apart. What is known is a number, as long as no loop is around.

; CHECK-LABEL: define spir_kernel void @in_rounds
; CHECK: loop:
; CHECK: %[[BEFORE:.*]] = phi i64 [ 1, %entry ], [ %[[AFTER:.*]], %loop ]
; CHECK: call void @__lockstep_check_access({{.*}}, i64 %[[BEFORE]])
; CHECK: call void @__lockstep_barrier(i32 1)
; CHECK: %[[LOW:.*]] = and i64 %[[BEFORE]], -38421884077342721
; CHECK: %[[HIGH:.*]] = and i64 %[[BEFORE]], 38421884077342720
; CHECK: %[[SUM:.*]] = add i64 %[[LOW]], 1048576
; CHECK: %[[AFTER]] = xor i64 %[[SUM]], %[[HIGH]]
define spir_kernel void @in_rounds(ptr addrspace(1) %p, i32 %n) {
entry:
  call void @__lockstep_barrier(i32 2)
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  store i32 %i, ptr addrspace(1) %p
  call void @__lockstep_barrier(i32 1)
  %next = add i32 %i, 1
  %goes_on = icmp slt i32 %next, %n
  br i1 %goes_on, label %loop, label %end
end:
  ret void
}

declare void @__lockstep_barrier(i32)
