; RUN: lockstep-opt -passes=instrument-accesses %s | FileCheck %s
; Pointers and numbers in a structure that is an argument are arguments of their own.

; One is written, each element by its own work-item, the other is read; the launch looks whether they overlap.
; CHECK-LABEL: define spir_kernel void @apart
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @apart(ptr %struct) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %to.generic = load ptr addrspace(4), ptr %struct, !invariant.load !0
  %to = addrspacecast ptr addrspace(4) %to.generic to ptr addrspace(1)
  %field = getelementptr i8, ptr %struct, i64 8
  %from.generic = load ptr addrspace(4), ptr %field, !invariant.load !0
  %from = addrspacecast ptr addrspace(4) %from.generic to ptr addrspace(1)
  %width.place = getelementptr i8, ptr %struct, i64 16
  %width = load i32, ptr %width.place, !invariant.load !0
  %wide = sext i32 %width to i64
  %row = mul i64 %group, %wide
  %at = add i64 %row, %item
  %p = getelementptr i32, ptr addrspace(1) %from, i64 %at
  %value = load i32, ptr addrspace(1) %p
  %q = getelementptr i32, ptr addrspace(1) %to, i64 %at
  store i32 %value, ptr addrspace(1) %q
  ret void
}

; The same pointer, loaded twice: what one writes, another work-item reads.
; CHECK-LABEL: define spir_kernel void @twice
; CHECK: call void @__lockstep_check_access(
; CHECK: call void @__lockstep_check_access(
define spir_kernel void @twice(ptr %struct) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %to.generic = load ptr addrspace(4), ptr %struct, !invariant.load !0
  %to = addrspacecast ptr addrspace(4) %to.generic to ptr addrspace(1)
  %again.generic = load ptr addrspace(4), ptr %struct, !invariant.load !0
  %again = addrspacecast ptr addrspace(4) %again.generic to ptr addrspace(1)
  %other = xor i64 %item, 1
  %p = getelementptr i32, ptr addrspace(1) %again, i64 %other
  %value = load i32, ptr addrspace(1) %p
  %q = getelementptr i32, ptr addrspace(1) %to, i64 %item
  store i32 %value, ptr addrspace(1) %q
  ret void
}

; All groups write one row.
; CHECK-LABEL: define spir_kernel void @of_all_items
; CHECK: call void @__lockstep_check_access(
define spir_kernel void @of_all_items(ptr %struct) "lockstep-local-size"="64,1,1" {
  %to.generic = load ptr addrspace(4), ptr %struct, !invariant.load !0
  %to = addrspacecast ptr addrspace(4) %to.generic to ptr addrspace(1)
  store i32 1, ptr addrspace(1) %to
  ret void
}

; Which member, depends on a number.
; CHECK-LABEL: define spir_kernel void @of_an_array
; CHECK: call void @__lockstep_check_access(
; CHECK: call void @__lockstep_check_access(
define spir_kernel void @of_an_array(ptr %struct, i64 %n) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %field = getelementptr ptr, ptr %struct, i64 %n
  %to.generic = load ptr addrspace(4), ptr %field, !invariant.load !0
  %to = addrspacecast ptr addrspace(4) %to.generic to ptr addrspace(1)
  %q = getelementptr i32, ptr addrspace(1) %to, i64 %item
  store i32 1, ptr addrspace(1) %q
  %other.generic = load ptr addrspace(4), ptr %struct, !invariant.load !0
  %other = addrspacecast ptr addrspace(4) %other.generic to ptr addrspace(1)
  %p = getelementptr i32, ptr addrspace(1) %other, i64 %item
  store i32 1, ptr addrspace(1) %p
  ret void
}

; A variable of the program may be what a member points to.
@variable = addrspace(1) global [64 x i32] zeroinitializer
; CHECK-LABEL: define spir_kernel void @beside_a_variable
; CHECK: call void @__lockstep_check_access(
; CHECK: call void @__lockstep_check_access(
define spir_kernel void @beside_a_variable(ptr %struct) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %to.generic = load ptr addrspace(4), ptr %struct, !invariant.load !0
  %to = addrspacecast ptr addrspace(4) %to.generic to ptr addrspace(1)
  %p = getelementptr i32, ptr addrspace(1) @variable, i64 %item
  %value = load i32, ptr addrspace(1) %p
  %group = call i64 @__lockstep_group_id(i32 0)
  %begin = mul i64 %group, 64
  %at = add i64 %begin, %item
  %q = getelementptr i32, ptr addrspace(1) %to, i64 %at
  store i32 %value, ptr addrspace(1) %q
  ret void
}

declare i64 @__lockstep_local_id(i32)
declare i64 @__lockstep_group_id(i32)
!0 = !{}
