; RUN: lockstep-opt -passes=track-undefined %s | FileCheck %s
; What only moves takes its bits with it: between lanes, from one work-item to its group, and by atomics.

; CHECK-LABEL: define spir_kernel void @shuffled
; CHECK: [[BITS:%.*]] = call i32 @__lockstep_undefined_load.i32.p1(ptr addrspace(1) align 4 %from)
; CHECK: [[MOVED:%.*]] = call i32 @__lockstep_sub_group_shuffle_i32(i32 [[BITS]], i32 %lane)
; CHECK: %there = call i32 @__lockstep_sub_group_shuffle_i32(i32 %here, i32 %lane)
; CHECK: call void @__lockstep_undefined_store.i32.p1(ptr addrspace(1) align 4 %to, i32 [[MOVED]],
define spir_kernel void @shuffled(ptr addrspace(1) %from, ptr addrspace(1) %to, i32 %lane) {
  %here = load i32, ptr addrspace(1) %from, align 4
  %there = call i32 @__lockstep_sub_group_shuffle_i32(i32 %here, i32 %lane)
  store i32 %there, ptr addrspace(1) %to, align 4
  ret void
}

; CHECK-LABEL: define spir_kernel void @told_to_all
; CHECK: [[BITS:%.*]] = call i32 @__lockstep_undefined_load.i32.p1(ptr addrspace(1) align 4 %from)
; CHECK-NOT: __lockstep_bits_of
; CHECK: %all = call i32 @moved(i32 [[BITS]])
; CHECK-NOT: __lockstep_with_bits
; CHECK: call void @__lockstep_undefined_store.i32.p1(ptr addrspace(1) align 4 %to, i32 %all, i1 %flag,
; CHECK: store i32 %there, ptr addrspace(1) %to
define spir_kernel void @told_to_all(ptr addrspace(1) %from, ptr addrspace(1) %to, i32 %there, i1 %flag) {
  %here = load i32, ptr addrspace(1) %from, align 4
  %bits = call i32 @__lockstep_bits_of.i32(i32 %here)
  %all = call i32 @moved(i32 %bits)
  %result = call i32 @__lockstep_with_bits.i32(i32 %there, i32 %all, i1 %flag)
  store i32 %result, ptr addrspace(1) %to, align 4
  ret void
}

; What a swap compares decides whether it is made.
; CHECK-LABEL: define spir_kernel void @swapped
; CHECK: [[WAS:%.*]] = call i32 @__lockstep_undefined_load.i32.p1(ptr addrspace(1) align 4 %at)
; CHECK: %swap = cmpxchg
; CHECK: [[MADE:%.*]] = extractvalue { i32, i1 } %swap, 1
; CHECK: [[NOW:%.*]] = select i1 [[MADE]], i32 0, i32 [[WAS]]
; CHECK: call void @__lockstep_undefined_store.i32.p1(ptr addrspace(1) align 4 %at, i32 [[NOW]],
define spir_kernel void @swapped(ptr addrspace(1) %at) {
  %swap = cmpxchg ptr addrspace(1) %at, i32 0, i32 1 seq_cst seq_cst, align 4
  ret void
}

declare i32 @__lockstep_sub_group_shuffle_i32(i32, i32) convergent
declare i32 @__lockstep_bits_of.i32(i32)
declare i32 @__lockstep_with_bits.i32(i32, i32, i1)
declare i32 @moved(i32)
