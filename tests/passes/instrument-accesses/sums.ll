; RUN: lockstep-opt -passes=instrument-accesses %s | FileCheck %s
; Places that are quotients and remainders of ids have no check; the launch looks at the divisor.

; Pairs of a bitonic step: i / d * 2 * d + i % d, and d further on.
; CHECK-LABEL: define spir_kernel void @pairs
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @pairs(ptr addrspace(1) %keys, i32 %d) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %first = shl i64 %group, 6
  %i64 = or disjoint i64 %first, %item
  %i = trunc i64 %i64 to i32
  %safe = call i32 @llvm.umax.i32(i32 %d, i32 1)
  %run = udiv i32 %i, %safe
  %in.run = urem i32 %i, %safe
  %twice = shl i32 %d, 1
  %begin = mul i32 %run, %twice
  %low = add i32 %begin, %in.run
  %high = add i32 %low, %d
  %low64 = zext i32 %low to i64
  %high64 = zext i32 %high to i64
  %p = getelementptr i32, ptr addrspace(1) %keys, i64 %low64
  %q = getelementptr i32, ptr addrspace(1) %keys, i64 %high64
  %a = load i32, ptr addrspace(1) %p
  %b = load i32, ptr addrspace(1) %q
  store i32 %b, ptr addrspace(1) %p
  store i32 %a, ptr addrspace(1) %q
  ret void
}

; As signed numbers, with the divisor that guard-integer-division makes; and by a mask.
; CHECK-LABEL: define spir_kernel void @signed_pairs
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @signed_pairs(ptr addrspace(1) %keys, i32 %d) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %i = trunc i64 %item to i32
  %is.zero = icmp eq i32 %d, 0
  %safe = select i1 %is.zero, i32 1, i32 %d
  %run = sdiv i32 %i, %safe, !lockstep.guarded !0
  %low.bits = add i32 %d, -1
  %in.run = and i32 %i, %low.bits
  %twice = shl i32 %d, 1
  %begin = mul i32 %run, %twice
  %low = add i32 %begin, %in.run
  %low64 = sext i32 %low to i64
  %group = call i64 @__lockstep_group_id(i32 0)
  %group.begin = shl i64 %group, 20
  %at = add i64 %group.begin, %low64
  %p = getelementptr i32, ptr addrspace(1) %keys, i64 %at
  store i32 1, ptr addrspace(1) %p
  ret void
}

; A divisor of each work-item's own, and one that nobody guards by a condition of ours.
; CHECK-LABEL: define spir_kernel void @own_divisor
; CHECK: call void @__lockstep_check_access(
; CHECK: call void @__lockstep_check_access(
define spir_kernel void @own_divisor(ptr addrspace(1) %keys, ptr addrspace(1) %others, i32 %d, i1 %c) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %i = trunc i64 %item to i32
  %own = add i32 %i, 1
  %run = udiv i32 1000, %own
  %sum = add i32 %run, %i
  %at = zext i32 %sum to i64
  %p = getelementptr i32, ptr addrspace(1) %keys, i64 %at
  store i32 1, ptr addrspace(1) %p
  %any = select i1 %c, i32 1, i32 %d
  %of.any = udiv i32 %i, %any
  %sum.of.any = add i32 %of.any, %i
  %there = zext i32 %sum.of.any to i64
  %q = getelementptr i32, ptr addrspace(1) %others, i64 %there
  store i32 1, ptr addrspace(1) %q
  ret void
}

; A loop that goes on by a step, over rows of a length that is an argument in vectors of four: how far it gets is known.
; CHECK-LABEL: define spir_kernel void @steps
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @steps(ptr addrspace(1) %from, ptr addrspace(1) %to, i32 %n) "lockstep-local-size"="64,1,1" {
entry:
  %item = call i64 @__lockstep_local_id(i32 0)
  %i = trunc i64 %item to i32
  %vectors = sdiv i32 %n, 4
  %row = mul i32 %i, %vectors
  %any = icmp sgt i32 %n, 0
  br i1 %any, label %loop, label %exit
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = add i32 %k, %row
  %at64 = sext i32 %at to i64
  %p = getelementptr <4 x float>, ptr addrspace(1) %from, i64 %at64
  %value = load <4 x float>, ptr addrspace(1) %p
  %q = getelementptr <4 x float>, ptr addrspace(1) %to, i64 %at64
  store <4 x float> %value, ptr addrspace(1) %q
  %next = add nuw nsw i32 %k, 32
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; From there on: the launch divides the rounds by 32, and the row's length by 4.
; CHECK: !{{[0-9]+}} = !{i64 2, {{.*}} i64 1, i64 2, i64 31, i64 0, i64 1, i64 1, i64 0, i64 2, i64 0, i64 1, i64 32,
declare i64 @__lockstep_local_id(i32)
declare i64 @__lockstep_group_id(i32)
declare i32 @llvm.umax.i32(i32, i32)

!0 = !{}
