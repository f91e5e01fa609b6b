; RUN: lockstep-opt -passes=instrument-accesses %s | FileCheck %s
; All work-items of a group take one edge of a uniform branch. So between two barriers, the accesses behind one edge are not compared
; with those behind the other edge.

@data = internal addrspace(3) global [256 x i32] poison
@padded = internal addrspace(3) global [64 x [65 x float]] poison

; Behind the last barrier of the loop, the work-items either write their own words, or read other words after the loop.
; CHECK-LABEL: define spir_kernel void @end_of_loop
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @end_of_loop(i32 %n, ptr addrspace(1) %out) "lockstep-local-size"="256,1,1" {
  %l = call i64 @__lockstep_local_id(i32 0)
  %mirrored = sub i64 255, %l
  %p = getelementptr i32, ptr addrspace(3) @data, i64 %l
  %q = getelementptr i32, ptr addrspace(3) @data, i64 %mirrored
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %sum = phi i32 [ 1, %0 ], [ %more_of_it, %loop ]
  store i32 %sum, ptr addrspace(3) %p
  call void @__lockstep_barrier(i32 1)
  %x = load i32, ptr addrspace(3) %q
  %more_of_it = add i32 %sum, %x
  call void @__lockstep_barrier(i32 1)
  %next = add nuw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  store i32 %more_of_it, ptr addrspace(3) %p
  call void @__lockstep_barrier(i32 1)
  %y = load i32, ptr addrspace(3) %q
  ret void
}

; The words that are read behind the loop are those that others write in the next iteration.
; CHECK-LABEL: define spir_kernel void @read_behind_the_loop
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @read_behind_the_loop(i32 %n) "lockstep-local-size"="256,1,1" {
  %l = call i64 @__lockstep_local_id(i32 0)
  %mirrored = sub i64 255, %l
  %p = getelementptr i32, ptr addrspace(3) @data, i64 %l
  %q = getelementptr i32, ptr addrspace(3) @data, i64 %mirrored
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  store i32 %i, ptr addrspace(3) %p
  call void @__lockstep_barrier(i32 1)
  %next = add nuw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  %y = load i32, ptr addrspace(3) %q
  ret void
}

; Without a barrier at the end of the loop, a fast work-item writes while another one still reads.
; CHECK-LABEL: define spir_kernel void @next_iteration
; CHECK: call void @__lockstep_check_access
; CHECK: ret void
define spir_kernel void @next_iteration(i32 %n) "lockstep-local-size"="256,1,1" {
  %l = call i64 @__lockstep_local_id(i32 0)
  %mirrored = sub i64 255, %l
  %p = getelementptr i32, ptr addrspace(3) @data, i64 %l
  %q = getelementptr i32, ptr addrspace(3) @data, i64 %mirrored
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  store i32 %i, ptr addrspace(3) %p
  call void @__lockstep_barrier(i32 1)
  %x = load i32, ptr addrspace(3) %q
  %next = add nuw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; The number of iterations is read from memory: a race there may let the work-items leave the loop at different times.
; CHECK-LABEL: define spir_kernel void @read_bound
; CHECK: call void @__lockstep_check_access
; CHECK: ret void
define spir_kernel void @read_bound(ptr addrspace(1) %bound) "lockstep-local-size"="256,1,1" {
  %l = call i64 @__lockstep_local_id(i32 0)
  %mirrored = sub i64 255, %l
  %p = getelementptr i32, ptr addrspace(3) @data, i64 %l
  %q = getelementptr i32, ptr addrspace(3) @data, i64 %mirrored
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  store i32 %i, ptr addrspace(3) %p
  call void @__lockstep_barrier(i32 1)
  %next = add nuw i32 %i, 1
  %n = load i32, ptr addrspace(1) %bound
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  %y = load i32, ptr addrspace(3) %q
  ret void
}

; The bound differs between work-items, so that some write while others read.
; CHECK-LABEL: define spir_kernel void @own_bound
; CHECK: call void @__lockstep_check_access
; CHECK: ret void
define spir_kernel void @own_bound(i32 %n) "lockstep-local-size"="256,1,1" {
  %l = call i64 @__lockstep_local_id(i32 0)
  %narrow = trunc i64 %l to i32
  %own = add nuw i32 %n, %narrow
  %mirrored = sub i64 255, %l
  %p = getelementptr i32, ptr addrspace(3) @data, i64 %l
  %q = getelementptr i32, ptr addrspace(3) @data, i64 %mirrored
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  store i32 %i, ptr addrspace(3) %p
  call void @__lockstep_barrier(i32 1)
  %next = add nuw i32 %i, 1
  %more = icmp ult i32 %next, %own
  br i1 %more, label %loop, label %end
end:
  %y = load i32, ptr addrspace(3) %q
  ret void
}

; A uniform branch that is executed several times between two barriers may go both ways.
; CHECK-LABEL: define spir_kernel void @repeated
; CHECK: call void @__lockstep_check_access
; CHECK: ret void
define spir_kernel void @repeated(i32 %n) "lockstep-local-size"="256,1,1" {
  %l = call i64 @__lockstep_local_id(i32 0)
  %mirrored = sub i64 255, %l
  %p = getelementptr i32, ptr addrspace(3) @data, i64 %l
  %q = getelementptr i32, ptr addrspace(3) @data, i64 %mirrored
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %join ]
  %low = and i32 %i, 1
  %is_odd = icmp ne i32 %low, %n
  br i1 %is_odd, label %writes, label %reads
writes:
  store i32 %i, ptr addrspace(3) %p
  br label %join
reads:
  %y = load i32, ptr addrspace(3) %q
  br label %join
join:
  %next = add nuw i32 %i, 1
  %more = icmp ult i32 %next, 1000
  br i1 %more, label %loop, label %end
end:
  ret void
}

; A counter of 64 bits goes through the rows of 65 words: each work-item writes its own column, and all read column 64.
; CHECK-LABEL: define spir_kernel void @padded_rows
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @padded_rows(i64 %n) "lockstep-local-size"="64,1,1" {
  %l = call i64 @__lockstep_local_id(i32 0)
  br label %loop
loop:
  %r = phi i64 [ 0, %0 ], [ %next, %loop ]
  %p = getelementptr [65 x float], ptr addrspace(3) @padded, i64 %r, i64 64
  %q = getelementptr [65 x float], ptr addrspace(3) @padded, i64 %r, i64 %l
  %x = load float, ptr addrspace(3) %p
  store float %x, ptr addrspace(3) %q
  %next = add nuw i64 %r, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

declare i64 @__lockstep_local_id(i32) memory(none)
declare void @__lockstep_barrier(i32)
