; RUN: lockstep-opt -passes=record-scopes %s | FileCheck %s
; Line, column, scope (0 work-item, 1 sub-group, 2 work-group, 3 device), fences, what else it does (0 nothing, 1 waits for copies, 2 parts
; them, 3 orders the lanes that are there). Nothing is
; noted of a call that says no more than its instruction will, nor of one that has no place.

; CHECK: !lockstep.check.scopes = !{![[A:[0-9]+]], ![[B:[0-9]+]], ![[C:[0-9]+]], ![[D:[0-9]+]], ![[E:[0-9]+]], ![[F:[0-9]+]], ![[G:[0-9]+]],
; CHECK-DAG: ![[A]] = distinct !{!"a.cl", i32 1, i32 7, i32 2, i32 0, i32 0, i32 0}
; CHECK-DAG: ![[B]] = distinct !{!"a.cl", i32 2, i32 7, i32 3, i32 2, i32 0, i32 0}
; CHECK-DAG: ![[C]] = distinct !{!"a.cl", i32 3, i32 7, i32 2, i32 1, i32 0, i32 0}
; CHECK-DAG: ![[D]] = distinct !{!"a.cl", i32 4, i32 7, i32 2, i32 0, i32 1, i32 0}
; CHECK-DAG: ![[E]] = distinct !{!"a.cl", i32 5, i32 7, i32 3, i32 1, i32 0, i32 0}
; CHECK-DAG: ![[F]] = distinct !{!"a.cl", i32 7, i32 7, i32 3, i32 3, i32 3, i32 0}
; CLK_IMAGE_MEM_FENCE orders global memory.
; CHECK-DAG: ![[G]] = distinct !{!"a.cl", i32 8, i32 7, i32 3, i32 2, i32 0, i32 0}
define spir_kernel void @k(ptr addrspace(1) %p, ptr %events) !dbg !3 {
  %a = call i32 @_Z20atomic_load_explicitPU3AS1VU7_Atomicj12memory_order12memory_scope(ptr addrspace(1) %p, i32 2, i32 1), !dbg !5
  call void @_Z22atomic_work_item_fencej12memory_order12memory_scope(i32 2, i32 3, i32 2), !dbg !6
  call void @_Z7barrierj(i32 1), !dbg !7
  call void @_Z17wait_group_eventsiP9ocl_event(i32 1, ptr %events), !dbg !8
  call void @_Z9mem_fencej(i32 1), !dbg !9
  %b = call i32 @_Z10atomic_incPU3AS1Vj(ptr addrspace(1) %p), !dbg !10
  call void @_Z7barrierj(i32 1)
  call void @_Z25part_of_sub_group_barrierv(), !dbg !11
  call void @_Z22atomic_work_item_fencej12memory_order12memory_scope(i32 4, i32 3, i32 2), !dbg !12
  ret void
}

declare i32 @_Z20atomic_load_explicitPU3AS1VU7_Atomicj12memory_order12memory_scope(ptr addrspace(1), i32, i32)
declare void @_Z22atomic_work_item_fencej12memory_order12memory_scope(i32, i32, i32)
declare void @_Z7barrierj(i32)
declare void @_Z17wait_group_eventsiP9ocl_event(i32, ptr)
declare void @_Z9mem_fencej(i32)
declare void @_Z25part_of_sub_group_barrierv()
declare i32 @_Z10atomic_incPU3AS1Vj(ptr addrspace(1))

!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C99, file: !2, emissionKind: NoDebug)
!2 = !DIFile(filename: "a.cl", directory: "/")
!3 = distinct !DISubprogram(name: "k", file: !2, line: 1, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !{})
!5 = !DILocation(line: 1, column: 7, scope: !3)
!6 = !DILocation(line: 2, column: 7, scope: !3)
!7 = !DILocation(line: 3, column: 7, scope: !3)
!8 = !DILocation(line: 4, column: 7, scope: !3)
!9 = !DILocation(line: 5, column: 7, scope: !3)
!10 = !DILocation(line: 6, column: 7, scope: !3)
!11 = !DILocation(line: 7, column: 7, scope: !3)
!12 = !DILocation(line: 8, column: 7, scope: !3)

; Of two that a macro has put at one place each has its own note, by a discriminator.
; CHECK-DAG: distinct !{!"a.cl", i32 10, i32 7, i32 1, i32 0, i32 0, i32 0}
; CHECK-DAG: distinct !{!"a.cl", i32 10, i32 7, i32 3, i32 0, i32 0, i32 [[OTHER:[0-9]+]]}
; CHECK-DAG: !DILexicalBlockFile({{.*}}discriminator: [[OTHER]])
define spir_kernel void @of_a_macro(ptr addrspace(1) %p) !dbg !20 {
  %a = call i32 @_Z20atomic_load_explicitPU3AS1VU7_Atomicj12memory_order12memory_scope(ptr addrspace(1) %p, i32 2, i32 4), !dbg !21
  %b = call i32 @_Z20atomic_load_explicitPU3AS1VU7_Atomicj12memory_order12memory_scope(ptr addrspace(1) %p, i32 2, i32 2), !dbg !21
  %c = call i32 @_Z20atomic_load_explicitPU3AS1VU7_Atomicj12memory_order12memory_scope(ptr addrspace(1) %p, i32 2, i32 4), !dbg !21
  ret void
}
!20 = distinct !DISubprogram(name: "of_a_macro", file: !2, line: 9, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!21 = !DILocation(line: 10, column: 7, scope: !20)
