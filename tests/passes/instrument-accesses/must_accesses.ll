; RUN: env LOCKSTEP_CHECK=commands lockstep-opt -passes=instrument-accesses %s | FileCheck %s
; RUN: env LOCKSTEP_CHECK=commands lockstep-opt -passes=instrument-accesses --failed-assumptions=8 %s | FileCheck %s --check-prefix=REFUSED
; What all work-items touch, whatever they read, the launch computes by itself: no mark. It may refuse to, of each argument.

; A product of matrices.
; CHECK-LABEL: define spir_kernel void @in_all_rounds
; CHECK-NOT: check_footprint
; CHECK: ret void
; REFUSED-LABEL: define spir_kernel void @in_all_rounds
; REFUSED: call i64 @__lockstep_check_footprint(i32 0, i32 0, i32 4,
; REFUSED-NOT: check_footprint
; REFUSED: store i8 1,
; REFUSED: ret void
define spir_kernel void @in_all_rounds(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n) "lockstep-local-size"="64,1,1" {
entry:
  %item = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %first = shl i64 %group, 6
  %i = or disjoint i64 %first, %item
  %i32 = trunc i64 %i to i32
  %row = mul i32 %i32, %n
  %none = icmp eq i32 %n, 0
  br i1 %none, label %end, label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %place = add i32 %row, %k
  %place64 = zext i32 %place to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %place64
  %v = load i32, ptr addrspace(1) %p
  %more = add i32 %sum, %v
  %next = add nuw i32 %k, 1
  %is.last = icmp eq i32 %next, %n
  br i1 %is.last, label %end, label %loop
end:
  %all = phi i32 [ 0, %entry ], [ %more, %loop ]
  %q = getelementptr i32, ptr addrspace(1) %c, i64 %i
  store i32 %all, ptr addrspace(1) %q
  ret void
}

; By tiles, of which LLVM does not know how many there are. What is left early, or begins and ends as the ids have it, has marks.
; CHECK-LABEL: define spir_kernel void @by_steps
; CHECK: call i64 @__lockstep_check_footprint(i32 10, i32 1, i32 4,
; CHECK-NOT: check_footprint
; CHECK: store i8 1,
; CHECK: store i32 5, ptr addrspace(1) %q
; CHECK: ret void
define spir_kernel void @by_steps(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n) "lockstep-local-size"="64,1,1" {
entry:
  %item = call i64 @__lockstep_local_id(i32 0)
  %item32 = trunc i64 %item to i32
  %some = icmp ult i32 0, %n
  br i1 %some, label %loop, label %end
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %place = add i32 %item32, %k
  %place64 = zext i32 %place to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %place64
  store i32 1, ptr addrspace(1) %p
  %next = add i32 %k, 64
  %goes.on = icmp ult i32 %next, %n
  br i1 %goes.on, label %loop, label %end
end:
  %j0 = phi i32 [ 1, %entry ], [ 0, %loop ]
  br label %other
other:
  %j = phi i32 [ %item32, %end ], [ %later, %other ]
  %j64 = zext i32 %j to i64
  %q = getelementptr i32, ptr addrspace(1) %c, i64 %j64
  store i32 5, ptr addrspace(1) %q
  %later = add i32 %j, 64
  %on = icmp ult i32 %later, %n
  br i1 %on, label %other, label %out
out:
  ret void
}

; CHECK-LABEL: define spir_kernel void @left_early
; CHECK: call i64 @__lockstep_check_footprint(i32 0, i32 0, i32 4,
; CHECK: store i8 1,
; CHECK: load i32,
define spir_kernel void @left_early(ptr addrspace(1) %a, i64 %n) "lockstep-local-size"="64,1,1" {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %on ]
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %k
  %v = load i32, ptr addrspace(1) %p
  %found = icmp eq i32 %v, 7
  br i1 %found, label %end, label %on
on:
  %next = add nuw i64 %k, 1
  %is.last = icmp eq i64 %next, 100
  br i1 %is.last, label %end, label %loop
end:
  ret void
}

; Where a loop was left is not one of all of its rounds.
; CHECK-LABEL: define spir_kernel void @behind_a_loop
; CHECK: call i64 @__lockstep_check_footprint(i32 2, i32 1, i32 4,
; CHECK: store i8 1,
; CHECK: store i32 3,
define spir_kernel void @behind_a_loop(ptr addrspace(1) %a, i64 %n) "lockstep-local-size"="64,1,1" {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %next = add nuw i64 %k, 1
  %is.last = icmp eq i64 %next, 100
  br i1 %is.last, label %end, label %loop
end:
  %last = phi i64 [ %k, %loop ]
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %last
  store i32 3, ptr addrspace(1) %p
  ret void
}

; By what the launch knows of the work-item: no mark. By what was read, or at a place that was: marks.
; CHECK-LABEL: define spir_kernel void @by_conditions
; CHECK: call i64 @__lockstep_check_footprint(i32 18, i32 1, i32 4,
; CHECK: call i64 @__lockstep_check_footprint(i32 10, i32 1, i32 4,
; CHECK-NOT: check_footprint
; CHECK: store i32 1,
; CHECK: store i8 1,
; CHECK: store i32 2,
; CHECK: store i8 1,
; CHECK: store i32 3,
; CHECK: ret void
define spir_kernel void @by_conditions(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i64 %n) "lockstep-local-size"="64,1,1" {
entry:
  %item = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %first = shl i64 %group, 6
  %i = or disjoint i64 %first, %item
  %is.in = icmp ult i64 %i, %n
  br i1 %is.in, label %in, label %end
in:
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  store i32 1, ptr addrspace(1) %p
  %v = load i32, ptr addrspace(1) %p
  %is.seven = icmp eq i32 %v, 7
  br i1 %is.seven, label %seven, label %rest
seven:
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %i
  store i32 2, ptr addrspace(1) %q
  br label %rest
rest:
  %v64 = zext i32 %v to i64
  %r = getelementptr i32, ptr addrspace(1) %c, i64 %v64
  store i32 3, ptr addrspace(1) %r
  br label %end
end:
  ret void
}

; for (int i = get_global_id(0); i < n; i += get_global_size(0)), as LLVM writes it: the work-items read all of it together.
; CHECK-LABEL: define spir_kernel void @sweep
; CHECK-NOT: check_footprint
; CHECK: ret void
define spir_kernel void @sweep(ptr addrspace(1) %in, i32 %n) "lockstep-local-size"="256,1,1" {
entry:
  %group = call i64 @__lockstep_group_id(i32 0)
  %first = shl i64 %group, 8
  %item = call i64 @__lockstep_local_id(i32 0)
  %start = or disjoint i64 %first, %item
  %start32 = trunc i64 %start to i32
  %enters = icmp sgt i32 %n, %start32
  br i1 %enters, label %before, label %end
before:
  %step = call i64 @__lockstep_global_size(i32 0)
  br label %loop
loop:
  %i = phi i64 [ %start, %before ], [ %next, %loop ]
  %high = shl i64 %i, 32
  %i32 = ashr exact i64 %high, 32
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %i32
  %v = load i32, ptr addrspace(1) %p
  %next = add i64 %step, %i32
  %next32 = trunc i64 %next to i32
  %more = icmp sgt i32 %n, %next32
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Without the condition at the entry, a work-item behind the end reads once.
; CHECK-LABEL: define spir_kernel void @sweep_that_all_enter
; CHECK: call i64 @__lockstep_check_footprint(i32 0, i32 0, i32 4,
; CHECK: ret void
define spir_kernel void @sweep_that_all_enter(ptr addrspace(1) %in, i64 %n) "lockstep-local-size"="256,1,1" {
entry:
  %start = call i64 @__lockstep_local_id(i32 0)
  br label %loop
loop:
  %i = phi i64 [ %start, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %i
  %v = load i32, ptr addrspace(1) %p
  %next = add nuw nsw i64 %i, 256
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; The cases of a switch are conditions on an id.
; CHECK-LABEL: define spir_kernel void @cases
; CHECK-NOT: check_footprint
; CHECK: ret void
define spir_kernel void @cases(ptr addrspace(1) %in) "lockstep-local-size"="16,1,1" {
entry:
  %item = call i64 @__lockstep_local_id(i32 0)
  switch i64 %item, label %end [ i64 0, label %left
                                 i64 15, label %right ]
left:
  %v = load i32, ptr addrspace(1) %in
  br label %end
right:
  %p = getelementptr i32, ptr addrspace(1) %in, i64 100
  %w = load i32, ptr addrspace(1) %p
  br label %end
end:
  ret void
}

; Many work-items read the same words at loaded indices: a mark that is set is not written again.
; CHECK-LABEL: define spir_kernel void @gathered
; CHECK: [[MARK:%.*]] = load i8,
; CHECK-NEXT: icmp ne i8 [[MARK]], 1
; CHECK: store i8 1,
; CHECK: ret void
define spir_kernel void @gathered(ptr addrspace(1) %index, ptr addrspace(1) %in) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %p = getelementptr i64, ptr addrspace(1) %index, i64 %item
  %i = load i64, ptr addrspace(1) %p
  %q = getelementptr i32, ptr addrspace(1) %in, i64 %i
  %v = load i32, ptr addrspace(1) %q
  ret void
}

; p[id / 8] in bytes, as LLVM writes it: the marks are those of words.
; CHECK-LABEL: define spir_kernel void @bytes_of_words
; CHECK: call i64 @__lockstep_check_footprint(i32 {{[0-9]+}}, i32 0, i32 4,
; CHECK: ret void
define spir_kernel void @bytes_of_words(ptr addrspace(1) %in, ptr addrspace(1) %choice) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %half = lshr i64 %item, 1
  %bytes = and i64 %half, 28
  %p = getelementptr i8, ptr addrspace(1) %in, i64 %bytes
  %c = load i32, ptr addrspace(1) %choice
  %is = icmp eq i32 %c, 0
  br i1 %is, label %read, label %end
read:
  %v = load i32, ptr addrspace(1) %p
  br label %end
end:
  ret void
}

declare i64 @__lockstep_local_id(i32)
declare i64 @__lockstep_group_id(i32)
declare i64 @__lockstep_global_size(i32)
