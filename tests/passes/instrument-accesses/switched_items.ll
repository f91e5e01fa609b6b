; RUN: lockstep-opt -passes=instrument-accesses %s | FileCheck %s
; Which work-items reach an access to local memory is known behind any control flow that their local ids decide.

@tile = internal addrspace(3) global [66 x i32] undef

; A tile with an element more at each end: LLVM makes a switch of `if (item == 0) ... if (item == 63)`.
; CHECK-LABEL: define spir_kernel void @both_ends
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @both_ends() "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %own = add i64 %item, 1
  %p = getelementptr i32, ptr addrspace(3) @tile, i64 %own
  store i32 1, ptr addrspace(3) %p
  switch i64 %item, label %all [
    i64 0, label %left
    i64 63, label %right
  ]
left:
  store i32 2, ptr addrspace(3) @tile
  br label %all
right:
  store i32 3, ptr addrspace(3) getelementptr (i32, ptr addrspace(3) @tile, i64 65)
  br label %all
all:
  call void @__lockstep_barrier(i32 1)
  %q = getelementptr i32, ptr addrspace(3) @tile, i64 %item
  %a = load i32, ptr addrspace(3) %q
  ret void
}

; The last work-item writes its own element again; in the next kernel, the one before it does.
; CHECK-LABEL: define spir_kernel void @end_of_its_own
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @end_of_its_own() "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(3) @tile, i64 %item
  store i32 1, ptr addrspace(3) %p
  switch i64 %item, label %all [ i64 63, label %right ]
right:
  store i32 3, ptr addrspace(3) getelementptr (i32, ptr addrspace(3) @tile, i64 63)
  br label %all
all:
  ret void
}

; CHECK-LABEL: define spir_kernel void @end_of_another
; CHECK: call void @__lockstep_check_access(
; CHECK: store i32 1, ptr addrspace(3)
; CHECK: call void @__lockstep_check_access(
; CHECK: store i32 3, ptr addrspace(3)
define spir_kernel void @end_of_another() "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(3) @tile, i64 %item
  store i32 1, ptr addrspace(3) %p
  switch i64 %item, label %all [ i64 62, label %right ]
right:
  store i32 3, ptr addrspace(3) getelementptr (i32, ptr addrspace(3) @tile, i64 63)
  br label %all
all:
  ret void
}

; Two cases lead to one block, and the rest to it as well.
; CHECK-LABEL: define spir_kernel void @shared_case
; CHECK: call void @__lockstep_check_access(
; CHECK: store i32 3, ptr addrspace(3)
define spir_kernel void @shared_case() "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  switch i64 %item, label %all [
    i64 5, label %two
    i64 9, label %two
  ]
two:
  store i32 3, ptr addrspace(3) @tile
  br label %all
all:
  ret void
}

; Two conditions lead to one block: `if (item == 0 || item == 1)`, whose work-items write different elements.
; CHECK-LABEL: define spir_kernel void @either
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @either() "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %is_0 = icmp eq i64 %item, 0
  br i1 %is_0, label %write, label %more
more:
  %is_1 = icmp eq i64 %item, 1
  br i1 %is_1, label %write, label %all
write:
  %where = phi i64 [ 7, %0 ], [ 9, %more ]
  %p = getelementptr i32, ptr addrspace(3) @tile, i64 %where
  store i32 3, ptr addrspace(3) %p
  br label %all
all:
  ret void
}

; CHECK-LABEL: define spir_kernel void @either_in_one
; CHECK: call void @__lockstep_check_access(
; CHECK: store i32 3, ptr addrspace(3)
define spir_kernel void @either_in_one() "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %is_0 = icmp eq i64 %item, 0
  br i1 %is_0, label %write, label %more
more:
  %is_small = icmp ult i64 %item, 3
  br i1 %is_small, label %write, label %all
write:
  %where = phi i64 [ 7, %0 ], [ 9, %more ]
  %p = getelementptr i32, ptr addrspace(3) @tile, i64 %where
  store i32 3, ptr addrspace(3) %p
  br label %all
all:
  ret void
}

; A loop that only one work-item enters: all of them reach the code behind it.
; CHECK-LABEL: define spir_kernel void @behind_a_loop
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @behind_a_loop(i32 %n) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %is_0 = icmp eq i64 %item, 0
  br i1 %is_0, label %loop, label %all
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  store i32 4, ptr addrspace(3) @tile
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %loop, label %all
all:
  %own = add i64 %item, 1
  %p = getelementptr i32, ptr addrspace(3) @tile, i64 %own
  store i32 5, ptr addrspace(3) %p
  ret void
}

; CHECK-LABEL: define spir_kernel void @loop_of_all
; CHECK: call void @__lockstep_check_access(
; CHECK: store i32 4, ptr addrspace(3)
define spir_kernel void @loop_of_all(i32 %n) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %latch ]
  %is_first = phi i1 [ true, %0 ], [ false, %latch ]
  br i1 %is_first, label %latch, label %write
write:
  store i32 4, ptr addrspace(3) @tile
  br label %latch
latch:
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %loop, label %all
all:
  ret void
}

declare i64 @__lockstep_local_id(i32)
declare void @__lockstep_barrier(i32)
