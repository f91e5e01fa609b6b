; RUN: env LOCKSTEP_CHECK=commands lockstep-opt -passes=instrument-accesses %s | FileCheck %s
; Where commands are looked at, what meets no other access of its launch is told of too, as that (SameValue::meets_none, 5), and local
; memory is not.

@tile = internal addrspace(3) global [64 x i32] undef

; CHECK: [[READ:@check.site[.0-9]*]] = internal global { {{.*}} } { i32 0, i32 0, i32 0, i32 4, i32 0, {{.*}}, i32 0, i32 5, i32 0,
; CHECK: [[WRITTEN:@check.site[.0-9]*]] = internal global { {{.*}} } { i32 0, i32 0, i32 0, i32 4, i32 1, {{.*}}, i32 1, i32 5, i32 0,
; CHECK-LABEL: define spir_kernel void @own_word
; CHECK: call void @__lockstep_check_access({{.*}}, ptr [[READ]],
; CHECK-NEXT: load i32, ptr addrspace(1)
; CHECK: call void @__lockstep_check_access({{.*}}, ptr [[WRITTEN]],
; CHECK-NEXT: store i32 %a, ptr addrspace(1)
; CHECK-NOT: check_access(
; CHECK: ret void
define spir_kernel void @own_word(ptr addrspace(1) %from, ptr addrspace(1) %to) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %first = shl i64 %group, 6
  %i = or disjoint i64 %first, %item
  %other = xor i64 %i, 5
  %p = getelementptr i32, ptr addrspace(1) %from, i64 %other
  %q = getelementptr i32, ptr addrspace(1) %to, i64 %i
  %t = getelementptr i32, ptr addrspace(3) @tile, i64 %item
  %a = load i32, ptr addrspace(1) %p, !invariant.load !0
  store i32 %a, ptr addrspace(1) %q
  store i32 %a, ptr addrspace(3) %t
  ret void
}

declare i64 @__lockstep_local_id(i32)
declare i64 @__lockstep_group_id(i32)
!0 = !{}
