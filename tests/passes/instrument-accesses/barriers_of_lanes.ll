; RUN: lockstep-opt -passes=instrument-accesses %s | FileCheck %s
; A fence that orders the lanes that are there is told as their barrier (kind 6), and makes no atomics of the kernel.

; CHECK-DAG: @[[BARRIER:check.site[.0-9]*]] = internal global {{.*}} { i32 0, i32 7, i32 3, i32 0, i32 6,
; CHECK-DAG: @[[WRITE:check.site[.0-9]*]] = internal global {{.*}} { i32 0, i32 0, i32 0, i32 4, i32 1, {{.*}}, i32 0, i32 0, i32 1, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, ptr

; CHECK-LABEL: define spir_kernel void @k
define spir_kernel void @k(ptr addrspace(1) %p) sanitize_thread !dbg !3 {
; CHECK: call void @__lockstep_check_access({{.*}}, ptr @[[WRITE]],
; CHECK: store i32
; CHECK: fence acq_rel
; CHECK: call void @__lockstep_check_fence(i64 1, ptr @[[BARRIER]],
  %id = call i64 @__lockstep_local_id(i32 0)
  %mine = trunc i64 %id to i32
  store i32 %mine, ptr addrspace(1) %p
  fence acq_rel, !dbg !6
  ret void
}
declare i64 @__lockstep_local_id(i32)

!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}
!lockstep.check.scopes = !{!7}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C99, file: !2, emissionKind: NoDebug)
!2 = !DIFile(filename: "a.cl", directory: "/")
!3 = distinct !DISubprogram(name: "k", file: !2, line: 1, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !{})
!6 = !DILocation(line: 7, column: 3, scope: !3)
!7 = !{!"a.cl", i32 7, i32 3, i32 3, i32 3, i32 3, i32 0}
