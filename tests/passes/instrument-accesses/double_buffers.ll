; RUN: lockstep-opt -passes=instrument-accesses %s | FileCheck %s
; A loop reads one half of local memory while it writes the other one. Its accesses are not compared if each state of the loop has
; disjoint ones.

@halves = internal addrspace(3) global [128 x i32] poison

; now = 1 - now
; CHECK-LABEL: define spir_kernel void @alternating
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @alternating(i32 %steps) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %next_item = add i64 %item, 1
  %neighbor = and i64 %next_item, 63
  br label %loop
loop:
  %now = phi i32 [ 0, %0 ], [ %other, %loop ]
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  call void @__lockstep_barrier(i32 1)
  %other = sub i32 1, %now
  %from = zext i32 %now to i64
  %to = zext i32 %other to i64
  %first = shl i64 %from, 6
  %second = shl i64 %to, 6
  %read = add i64 %first, %neighbor
  %write = add i64 %second, %item
  %p = getelementptr i32, ptr addrspace(3) @halves, i64 %read
  %q = getelementptr i32, ptr addrspace(3) @halves, i64 %write
  %x = load i32, ptr addrspace(3) %p
  store i32 %x, ptr addrspace(3) %q
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %steps
  br i1 %more, label %loop, label %end
end:
  ret void
}

; One half is read and written in every third iteration.
; CHECK-LABEL: define spir_kernel void @three_halves
; CHECK-COUNT-2: call void @__lockstep_check_access
; CHECK: ret void
define spir_kernel void @three_halves(i32 %steps) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %next_item = add i64 %item, 1
  %neighbor = and i64 %next_item, 63
  br label %loop
loop:
  %now = phi i64 [ 0, %0 ], [ %other, %loop ]
  %other = phi i64 [ 1, %0 ], [ %third, %loop ]
  %third = phi i64 [ 1, %0 ], [ %now, %loop ]
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  call void @__lockstep_barrier(i32 1)
  %first = shl i64 %now, 6
  %second = shl i64 %other, 6
  %read = add i64 %first, %neighbor
  %write = add i64 %second, %item
  %p = getelementptr i32, ptr addrspace(3) @halves, i64 %read
  %q = getelementptr i32, ptr addrspace(3) @halves, i64 %write
  %x = load i32, ptr addrspace(3) %p
  store i32 %x, ptr addrspace(3) %q
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %steps
  br i1 %more, label %loop, label %end
end:
  ret void
}

; The iteration's number says which half. The half that is read behind the loop is not known, but each work-item reads its own word.
; CHECK-LABEL: define spir_kernel void @by_iteration
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @by_iteration(i32 %steps, ptr addrspace(1) %out) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %next_item = add i64 %item, 1
  %neighbor = and i64 %next_item, 63
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  call void @__lockstep_barrier(i32 1)
  %now = and i32 %i, 1
  %other = xor i32 %now, 1
  %from = zext i32 %now to i64
  %to = zext i32 %other to i64
  %first = shl i64 %from, 6
  %second = shl i64 %to, 6
  %read = add i64 %first, %neighbor
  %write = add i64 %second, %item
  %p = getelementptr i32, ptr addrspace(3) @halves, i64 %read
  %q = getelementptr i32, ptr addrspace(3) @halves, i64 %write
  %x = load i32, ptr addrspace(3) %p
  store i32 %x, ptr addrspace(3) %q
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %steps
  br i1 %more, label %loop, label %end
end:
  %last = and i32 %steps, 1
  %half = zext i32 %last to i64
  %third = shl i64 %half, 6
  %own = add i64 %third, %item
  %r = getelementptr i32, ptr addrspace(3) @halves, i64 %own
  %y = load i32, ptr addrspace(3) %r
  %s = getelementptr i32, ptr addrspace(1) %out, i64 %item
  store i32 %y, ptr addrspace(1) %s
  ret void
}

; Without a barrier in the loop, work-items are in different iterations.
; CHECK-LABEL: define spir_kernel void @without_barrier
; CHECK-COUNT-2: call void @__lockstep_check_access
; CHECK: ret void
define spir_kernel void @without_barrier(i32 %steps) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %next_item = add i64 %item, 1
  %neighbor = and i64 %next_item, 63
  br label %loop
loop:
  %now = phi i64 [ 0, %0 ], [ %other, %loop ]
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %other = xor i64 %now, 1
  %first = shl i64 %now, 6
  %second = shl i64 %other, 6
  %read = add i64 %first, %neighbor
  %write = add i64 %second, %item
  %p = getelementptr i32, ptr addrspace(3) @halves, i64 %read
  %q = getelementptr i32, ptr addrspace(3) @halves, i64 %write
  %x = load i32, ptr addrspace(3) %p
  store i32 %x, ptr addrspace(3) %q
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %steps
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Work-items leave the loop in different iterations, so that one may read the half that another one writes.
; CHECK-LABEL: define spir_kernel void @left_at_different_times
; CHECK-COUNT-2: call void @__lockstep_check_access
; CHECK: ret void
define spir_kernel void @left_at_different_times() "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %next_item = add i64 %item, 1
  %neighbor = and i64 %next_item, 63
  br label %loop
loop:
  %now = phi i64 [ 0, %0 ], [ %other, %loop ]
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  %other = xor i64 %now, 1
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %item
  br i1 %more, label %loop, label %end
end:
  call void @__lockstep_barrier(i32 1)
  %first = shl i64 %now, 6
  %second = shl i64 %other, 6
  %read = add i64 %first, %neighbor
  %write = add i64 %second, %item
  %p = getelementptr i32, ptr addrspace(3) @halves, i64 %read
  %q = getelementptr i32, ptr addrspace(3) @halves, i64 %write
  %x = load i32, ptr addrspace(3) %p
  store i32 %x, ptr addrspace(3) %q
  ret void
}

; The half that is written is the one of an earlier pass through the inner loop: not always the other one.
; CHECK-LABEL: define spir_kernel void @of_an_earlier_pass
; CHECK-COUNT-2: call void @__lockstep_check_access
; CHECK: ret void
define spir_kernel void @of_an_earlier_pass(i32 %steps, i32 %passes) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %next_item = add i64 %item, 1
  %neighbor = and i64 %next_item, 63
  br label %outer
outer:
  %kept = phi i64 [ 1, %0 ], [ %other, %again ]
  %pass = phi i32 [ 0, %0 ], [ %next_pass, %again ]
  br label %loop
loop:
  %now = phi i64 [ 0, %outer ], [ %other, %loop ]
  %i = phi i32 [ 0, %outer ], [ %next, %loop ]
  call void @__lockstep_barrier(i32 1)
  %other = xor i64 %now, 1
  %first = shl i64 %now, 6
  %second = shl i64 %kept, 6
  %read = add i64 %first, %neighbor
  %write = add i64 %second, %item
  %p = getelementptr i32, ptr addrspace(3) @halves, i64 %read
  %q = getelementptr i32, ptr addrspace(3) @halves, i64 %write
  %x = load i32, ptr addrspace(3) %p
  store i32 %x, ptr addrspace(3) %q
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %steps
  br i1 %more, label %loop, label %again
again:
  %next_pass = add i32 %pass, 1
  %is_more = icmp ult i32 %next_pass, %passes
  br i1 %is_more, label %outer, label %end
end:
  ret void
}

declare i64 @__lockstep_local_id(i32)
declare void @__lockstep_barrier(i32)
