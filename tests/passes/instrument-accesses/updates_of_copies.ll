; RUN: env LOCKSTEP_CHECK=commands lockstep-opt -passes=privatized-reductions,instrument-accesses %s | FileCheck %s
; What workers have copies of stays so where commands are looked at: an update is marked as far from the plane's beginning as it is from
; that of the copy, whose address each worker has another of. A pointer that is no sum, too. All workers mark the same elements,
; so they test the mark first.

; CHECK-LABEL: define spir_kernel void @counts
; CHECK: [[PLANE:%[0-9]+]] = call i64 @__lockstep_check_footprint(i32 14, i32 3, i32 4,
; CHECK: [[PLACE:%[0-9]+]] = add i64 [[PLANE]], %i
; CHECK: [[TO:%[0-9]+]] = inttoptr i64 [[PLACE]]
; CHECK: %mark = load i8, ptr addrspace(1) [[TO]], align 1
; CHECK: [[NEW:%[0-9]+]] = icmp ne i8 %mark, 1
; CHECK: br i1 [[NEW]], label
; CHECK: store i8 1, ptr addrspace(1) [[TO]], align 1
; CHECK: atomicrmw add ptr addrspace(1) %bin, i32 1 monotonic, align 4, !lockstep.privatized
; CHECK: [[AT:%[0-9]+]] = ptrtoint ptr addrspace(1) %other to i64
; CHECK: [[BEGIN:%[0-9]+]] = ptrtoint ptr addrspace(1) %bins to i64
; CHECK: [[BYTES:%[0-9]+]] = sub i64 [[AT]], [[BEGIN]]
; CHECK: [[WORDS:%[0-9]+]] = lshr i64 [[BYTES]], 2
; CHECK: add i64 [[PLANE]], [[WORDS]]
; CHECK: store i8 1,
; CHECK: atomicrmw add ptr addrspace(1) %other, i32 1 monotonic, align 4, !lockstep.privatized
; CHECK-NOT: check_access(
define spir_kernel void @counts(ptr addrspace(1) %values, ptr addrspace(1) %bins, i64 %i, i1 %is.first) "lockstep-local-size"="64,1,1" {
entry:
  %bin = getelementptr i32, ptr addrspace(1) %bins, i64 %i
  %a = atomicrmw add ptr addrspace(1) %bin, i32 1 monotonic, align 4
  %other = select i1 %is.first, ptr addrspace(1) %bins, ptr addrspace(1) %bin
  %b = atomicrmw add ptr addrspace(1) %other, i32 1 monotonic, align 4
  ret void
}
