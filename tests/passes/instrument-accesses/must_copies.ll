; RUN: env LOCKSTEP_CHECK=commands lockstep-opt -passes=instrument-accesses %s | FileCheck %s
; RUN: env LOCKSTEP_CHECK=races,commands lockstep-opt -passes=instrument-accesses %s | FileCheck %s
; The launch computes the footprint of an async copy whose number of elements and stride are launch parameters. The kernel has no mark
; for it, and reports nothing if all work-items wait for it.

@tile = internal addrspace(3) global [64 x i32] undef

; A row, a row with a stride, and lines.
; CHECK-LABEL: define spir_kernel void @known
; CHECK-NOT: __lockstep_check_
; CHECK: ret void
define spir_kernel void @known(ptr addrspace(1) %from, i64 %n, i64 %stride) "lockstep-local-size"="64,1,1" !dbg !13 {
  %group = call i64 @__lockstep_group_id(i32 0)
  %first = mul i64 %group, 60
  %p = getelementptr i32, ptr addrspace(1) %from, i64 %first
  %a = addrspacecast ptr addrspace(3) @tile to ptr addrspace(4)
  %b = addrspacecast ptr addrspace(1) %p to ptr addrspace(4)
  %event = call i64 @__lockstep_record_copy(i64 0)
  call void @__lockstep_group_copy(ptr addrspace(4) %a, ptr addrspace(4) %b, i64 62, i64 1, i64 1, i64 4)
  call void @__lockstep_record_awaited(i64 %event)
  call void @__lockstep_barrier(i32 1), !dbg !14
  %event2 = call i64 @__lockstep_record_copy(i64 0)
  call void @__lockstep_group_copy(ptr addrspace(4) %a, ptr addrspace(4) %b, i64 %n, i64 1, i64 %stride, i64 4)
  call void @__lockstep_record_awaited(i64 %event2)
  call void @__lockstep_barrier(i32 1), !dbg !14
  %event3 = call i64 @__lockstep_record_copy(i64 0)
  call void @__lockstep_group_copy_lines(ptr addrspace(4) %a, ptr addrspace(4) %b, i64 16, i64 %n, i64 1, i64 16, i64 0, i64 %stride, i64 0)
  call void @__lockstep_record_awaited(i64 %event3)
  call void @__lockstep_barrier(i32 1), !dbg !14
  ret void
}

; The number of elements is another one for each group: marks. They suffice for a row, but not with a stride.
; CHECK-LABEL: define spir_kernel void @of_group
; CHECK: call i64 @__lockstep_check_footprint(i32 0, i32 0, i32 4,
; CHECK: call void @llvm.memset
; CHECK: call void @__lockstep_group_copy(
; CHECK-NOT: memset
; CHECK: call void @__lockstep_check_copy(
; CHECK: call void @__lockstep_group_copy(
; CHECK: ret void
define spir_kernel void @of_group(ptr addrspace(1) %from, i64 %stride) "lockstep-local-size"="64,1,1" !dbg !16 {
  %group = call i64 @__lockstep_group_id(i32 0)
  %a = addrspacecast ptr addrspace(3) @tile to ptr addrspace(4)
  %b = addrspacecast ptr addrspace(1) %from to ptr addrspace(4)
  %event = call i64 @__lockstep_record_copy(i64 0)
  call void @__lockstep_group_copy(ptr addrspace(4) %a, ptr addrspace(4) %b, i64 %group, i64 1, i64 1, i64 4)
  call void @__lockstep_record_awaited(i64 %event)
  call void @__lockstep_barrier(i32 1), !dbg !17
  %event2 = call i64 @__lockstep_record_copy(i64 0)
  call void @__lockstep_group_copy(ptr addrspace(4) %a, ptr addrspace(4) %b, i64 %group, i64 1, i64 %stride, i64 4)
  call void @__lockstep_record_awaited(i64 %event2)
  call void @__lockstep_barrier(i32 1), !dbg !17
  ret void
}

; No work-item waits: the copy is reported, without a mark.
; CHECK-LABEL: define spir_kernel void @never
; CHECK-NOT: check_footprint
; CHECK: call void @__lockstep_check_copy(
; CHECK: ret void
define spir_kernel void @never(ptr addrspace(1) %from, i64 %n) "lockstep-local-size"="64,1,1" !dbg !19 {
  %a = addrspacecast ptr addrspace(3) @tile to ptr addrspace(4)
  %b = addrspacecast ptr addrspace(1) %from to ptr addrspace(4)
  %event = call i64 @__lockstep_record_copy(i64 0)
  call void @__lockstep_group_copy(ptr addrspace(4) %a, ptr addrspace(4) %b, i64 %n, i64 1, i64 1, i64 4)
  ret void
}

declare i64 @__lockstep_group_id(i32)
declare i64 @__lockstep_record_copy(i64)
declare void @__lockstep_record_awaited(i64)
declare void @__lockstep_barrier(i32) convergent nounwind
declare void @__lockstep_group_copy(ptr addrspace(4), ptr addrspace(4), i64, i64, i64, i64) convergent nounwind
declare void @__lockstep_group_copy_lines(ptr addrspace(4), ptr addrspace(4), i64, i64, i64, i64, i64, i64, i64) convergent nounwind

!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}
!lockstep.check.scopes = !{!7}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_OpenCL, file: !2, emissionKind: LineTablesOnly)
!2 = !DIFile(filename: "a.cl", directory: "")
!4 = !DISubroutineType(types: !{null})
!7 = !{!"a.cl", i32 1, i32 7, i32 2, i32 0, i32 1, i32 0}
!13 = distinct !DISubprogram(name: "known", scope: !2, file: !2, line: 1, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!14 = !DILocation(line: 1, column: 7, scope: !13)
!16 = distinct !DISubprogram(name: "of_group", scope: !2, file: !2, line: 1, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!17 = !DILocation(line: 1, column: 7, scope: !16)
!19 = distinct !DISubprogram(name: "never", scope: !2, file: !2, line: 1, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!20 = !DILocation(line: 1, column: 7, scope: !19)
