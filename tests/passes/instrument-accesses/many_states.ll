; RUN: lockstep-opt -passes=instrument-accesses %s | FileCheck %s
; A loop doubles a stride in nine iterations, or counts the columns of a matrix, and is not unrolled. Its accesses are not compared
; if those of each iteration are disjoint.

@data = internal addrspace(3) global [512 x float] poison

; The butterfly of a fast Fourier transform: o = ((l - k) << 1) + k with k = l & (p - 1), and o + p.
; CHECK-LABEL: define spir_kernel void @butterfly
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @butterfly(float %factor) "lockstep-local-size"="256,1,1" {
  %id = call i64 @__lockstep_local_id(i32 0)
  %l = trunc i64 %id to i32
  %upper = add i32 %l, 256
  %pl = getelementptr float, ptr addrspace(3) @data, i32 %l
  %pu = getelementptr float, ptr addrspace(3) @data, i32 %upper
  br label %loop
loop:
  %p = phi i32 [ 1, %0 ], [ %twice, %loop ]
  call void @__lockstep_barrier(i32 1)
  %u = load float, ptr addrspace(3) %pl
  %v = load float, ptr addrspace(3) %pu
  call void @__lockstep_barrier(i32 1)
  %mask = add i32 %p, -1
  %k = and i32 %l, %mask
  %high = sub i32 %l, %k
  %doubled = shl i32 %high, 1
  %o = add i32 %doubled, %k
  %other = add i32 %o, %p
  %po = getelementptr float, ptr addrspace(3) @data, i32 %o
  %pother = getelementptr float, ptr addrspace(3) @data, i32 %other
  %sum = fadd float %u, %v
  %difference = fsub float %u, %v
  store float %sum, ptr addrspace(3) %po
  store float %difference, ptr addrspace(3) %pother
  %twice = shl i32 %p, 1
  %more = icmp ult i32 %twice, 512
  br i1 %more, label %loop, label %end
end:
  ret void
}

; In the last of the nine iterations, two work-items write one word.
; CHECK-LABEL: define spir_kernel void @wrong_in_the_last
; CHECK: call void @__lockstep_check_access
; CHECK: ret void
define spir_kernel void @wrong_in_the_last(float %x) "lockstep-local-size"="256,1,1" {
  %id = call i64 @__lockstep_local_id(i32 0)
  %l = trunc i64 %id to i32
  br label %loop
loop:
  %p = phi i32 [ 1, %0 ], [ %twice, %loop ]
  call void @__lockstep_barrier(i32 1)
  %high = and i32 %p, 256
  %low = lshr i32 %high, 1
  %at = or i32 %l, %low
  %q = getelementptr float, ptr addrspace(3) @data, i32 %at
  store float %x, ptr addrspace(3) %q
  %twice = shl i32 %p, 1
  %more = icmp ult i32 %twice, 512
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Gaussian elimination: row 20 is scaled in iteration 20 only, and read by others one barrier later.
; CHECK-LABEL: define spir_kernel void @columns
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @columns() "lockstep-local-size"="32,1,1" {
  %id = call i64 @__lockstep_local_id(i32 0)
  %l = trunc i64 %id to i32
  %own = getelementptr float, ptr addrspace(3) @data, i32 %l
  br label %loop
loop:
  %k = phi i32 [ 0, %0 ], [ %next, %latch ]
  call void @__lockstep_barrier(i32 1)
  %is_pivot = icmp eq i32 %l, %k
  br i1 %is_pivot, label %scale, label %behind
scale:
  %x = load float, ptr addrspace(3) %own
  %half = fmul float %x, 5.0e-1
  store float %half, ptr addrspace(3) %own
  br label %behind
behind:
  call void @__lockstep_barrier(i32 1)
  %is_below = icmp ugt i32 %l, %k
  br i1 %is_below, label %reduce, label %latch
reduce:
  %pivot = getelementptr float, ptr addrspace(3) @data, i32 %k
  %a = load float, ptr addrspace(3) %pivot
  %b = load float, ptr addrspace(3) %own
  %c = fsub float %b, %a
  store float %c, ptr addrspace(3) %own
  br label %latch
latch:
  %next = add i32 %k, 1
  %more = icmp ult i32 %next, 32
  br i1 %more, label %loop, label %end
end:
  ret void
}

; The same without the second barrier.
; CHECK-LABEL: define spir_kernel void @columns_without_barrier
; CHECK: call void @__lockstep_check_access
; CHECK: ret void
define spir_kernel void @columns_without_barrier() "lockstep-local-size"="32,1,1" {
  %id = call i64 @__lockstep_local_id(i32 0)
  %l = trunc i64 %id to i32
  %own = getelementptr float, ptr addrspace(3) @data, i32 %l
  br label %loop
loop:
  %k = phi i32 [ 0, %0 ], [ %next, %latch ]
  call void @__lockstep_barrier(i32 1)
  %is_pivot = icmp eq i32 %l, %k
  br i1 %is_pivot, label %scale, label %behind
scale:
  %x = load float, ptr addrspace(3) %own
  %half = fmul float %x, 5.0e-1
  store float %half, ptr addrspace(3) %own
  br label %behind
behind:
  %is_below = icmp ugt i32 %l, %k
  br i1 %is_below, label %reduce, label %latch
reduce:
  %pivot = getelementptr float, ptr addrspace(3) @data, i32 %k
  %a = load float, ptr addrspace(3) %pivot
  %b = load float, ptr addrspace(3) %own
  %c = fsub float %b, %a
  store float %c, ptr addrspace(3) %own
  br label %latch
latch:
  %next = add i32 %k, 1
  %more = icmp ult i32 %next, 32
  br i1 %more, label %loop, label %end
end:
  ret void
}

; The stride is a power of two, and its logarithm is counted: i = (l >> log2(h)) * 2 * h + (l & (h - 1)).
; CHECK-LABEL: define spir_kernel void @logarithm
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @logarithm() "lockstep-local-size"="256,1,1" {
  %id = call i64 @__lockstep_local_id(i32 0)
  %l = trunc i64 %id to i32
  br label %loop
loop:
  %h = phi i32 [ 1, %0 ], [ %twice, %loop ]
  call void @__lockstep_barrier(i32 1)
  %log = call i32 @llvm.cttz.i32(i32 %h, i1 true)
  %mask = sub i32 %h, 1
  %low = and i32 %l, %mask
  %high = lshr i32 %l, %log
  %twice = shl i32 %h, 1
  %begin = mul i32 %high, %twice
  %i = add i32 %begin, %low
  %p = getelementptr float, ptr addrspace(3) @data, i32 %i
  %q = getelementptr float, ptr addrspace(3) %p, i32 %h
  %x = load float, ptr addrspace(3) %p
  %y = load float, ptr addrspace(3) %q
  %sum = fadd float %x, %y
  store float %sum, ptr addrspace(3) %p
  store float %y, ptr addrspace(3) %q
  %more = icmp ult i32 %twice, 512
  br i1 %more, label %loop, label %end
end:
  ret void
}

declare i64 @__lockstep_local_id(i32)
declare void @__lockstep_barrier(i32)
declare i32 @llvm.cttz.i32(i32, i1)
