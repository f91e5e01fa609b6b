; RUN: lockstep-opt -passes=instrument-accesses %s | FileCheck %s
; Where no call of OpenCL C says more, the scope is the instruction's: 0 a work-item, 1 a sub-group, 2 a work-group, 3 all. In a
; kernel that atomics synchronize, and in one where all are relaxed. The place is the program's, not that of SYCL's header.

; CHECK-DAG: = internal global {{.*}} { i32 0, i32 7, i32 5, i32 4, i32 4, i32 3, i32 0, i32 0, i32 1, i32 1,
; CHECK-DAG: = internal global {{.*}} { i32 0, i32 8, i32 5, i32 4, i32 4, i32 0, i32 0, i32 1, i32 1, i32 1,
; CHECK-DAG: = internal global {{.*}} { i32 0, i32 9, i32 5, i32 4, i32 2, i32 1, i32 0, i32 2, i32 1, i32 0,
; CHECK-DAG: = internal global {{.*}} { i32 0, i32 10, i32 5, i32 4, i32 3, i32 2, i32 0, i32 3, i32 1, i32 0,
; CHECK-DAG: = internal global {{.*}} { i32 0, i32 11, i32 5, i32 0, i32 5, i32 3, i32 0, i32 1,
; CHECK-DAG: = internal global {{.*}} { i32 0, i32 22, i32 5, i32 4, i32 4, i32 0, i32 0, i32 2, i32 1,
; CHECK-DAG: c"use.cpp\00"
; CHECK-NOT: c"{{.*}}atomic_ref.hpp\00"

define spir_kernel void @synchronizes(ptr addrspace(1) %p, ptr addrspace(1) %data) !dbg !4 {
  %a = atomicrmw add ptr addrspace(1) %p, i32 1 syncscope("singlethread") acq_rel, !dbg !10
  %b = atomicrmw add ptr addrspace(1) %p, i32 1 syncscope("subgroup") monotonic, !dbg !11
  %c = load atomic i32, ptr addrspace(1) %p syncscope("workgroup") acquire, align 4, !dbg !12
  store atomic i32 %c, ptr addrspace(1) %p release, align 4, !dbg !13
  fence syncscope("subgroup") acq_rel, !dbg !14
  %d = load i32, ptr addrspace(1) %data
  store i32 %d, ptr addrspace(1) %data
  ret void
}

define spir_kernel void @only_counts(ptr addrspace(1) %p) !dbg !5 {
  %a = atomicrmw add ptr addrspace(1) %p, i32 1 syncscope("workgroup") monotonic, !dbg !20
  ret void
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "use.cpp", directory: "/")
!2 = !DIFile(filename: "/usr/include/lockstep/sycl/atomic_ref.hpp", directory: "/")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "synchronizes", file: !1, line: 1, unit: !0, type: !7)
!5 = distinct !DISubprogram(name: "only_counts", file: !1, line: 20, unit: !0, type: !7)
!6 = distinct !DISubprogram(name: "fetch_add", file: !2, line: 140, unit: !0, type: !7)
!7 = !DISubroutineType(types: !{})
!10 = !DILocation(line: 144, column: 29, scope: !6, inlinedAt: !30)
!11 = !DILocation(line: 8, column: 5, scope: !4)
!12 = !DILocation(line: 9, column: 5, scope: !4)
!13 = !DILocation(line: 10, column: 5, scope: !4)
!14 = !DILocation(line: 11, column: 5, scope: !4)
!20 = !DILocation(line: 22, column: 5, scope: !5)
!30 = distinct !DILocation(line: 150, column: 9, scope: !6, inlinedAt: !31)
!31 = distinct !DILocation(line: 7, column: 5, scope: !4)
