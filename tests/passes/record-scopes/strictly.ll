; RUN: env LOCKSTEP_CHECK=races,strict lockstep-opt -passes=record-scopes %s | FileCheck %s
; By the letter a fence of OpenCL C 1.x orders only what its work-item does (scope 0), and an atomic is for its group (scope 2).

; CHECK-DAG: !lockstep.check.strict = !{}
; CHECK-DAG: distinct !{!"a.cl", i32 5, i32 7, i32 0, i32 1, i32 0, i32 0}
; CHECK-DAG: distinct !{!"a.cl", i32 6, i32 7, i32 2, i32 0, i32 0, i32 0}
; CHECK-DAG: distinct !{!"a.cl", i32 1, i32 7, i32 2, i32 0, i32 0, i32 0}
define spir_kernel void @k(ptr addrspace(1) %p, ptr %events) !dbg !3 {
  %a = call i32 @_Z20atomic_load_explicitPU3AS1VU7_Atomicj12memory_order12memory_scope(ptr addrspace(1) %p, i32 2, i32 1), !dbg !5
  call void @_Z22atomic_work_item_fencej12memory_order12memory_scope(i32 2, i32 3, i32 2), !dbg !6
  call void @_Z7barrierj(i32 1), !dbg !7
  call void @_Z17wait_group_eventsiP9ocl_event(i32 1, ptr %events), !dbg !8
  call void @_Z9mem_fencej(i32 1), !dbg !9
  %b = call i32 @_Z10atomic_incPU3AS1Vj(ptr addrspace(1) %p), !dbg !10
  call void @_Z7barrierj(i32 1)
  ret void
}

declare i32 @_Z20atomic_load_explicitPU3AS1VU7_Atomicj12memory_order12memory_scope(ptr addrspace(1), i32, i32)
declare void @_Z22atomic_work_item_fencej12memory_order12memory_scope(i32, i32, i32)
declare void @_Z7barrierj(i32)
declare void @_Z17wait_group_eventsiP9ocl_event(i32, ptr)
declare void @_Z9mem_fencej(i32)
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
