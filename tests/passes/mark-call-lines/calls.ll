; RUN: lockstep-opt -passes=mark-call-lines %s | FileCheck %s

; CHECK-LABEL: define void @kernel(
; CHECK: %call.line = alloca i8
; CHECK: store volatile i8 0, ptr %call.line, align 1, !dbg ![[LINE:[0-9]+]]
; CHECK: call void @inlined(), !dbg ![[LINE]]
; A primitive stays a call.
; CHECK-NEXT: call void @__lockstep_barrier(i32 1)
; CHECK-NEXT: ret void
define void @kernel() !dbg !4 {
  call void @inlined(), !dbg !5
  call void @__lockstep_barrier(i32 1), !dbg !6
  ret void
}

; CHECK-LABEL: define void @inlined(
; CHECK-NOT: store
define void @inlined() {
  ret void
}

declare void @__lockstep_barrier(i32)

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}

!0 = distinct !DICompileUnit(language: DW_LANG_OpenCL, file: !1, isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.cl", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{null})
!4 = distinct !DISubprogram(name: "kernel", scope: !1, file: !1, line: 1, type: !3, spFlags: DISPFlagDefinition, unit: !0)
!5 = !DILocation(line: 2, column: 3, scope: !4)
!6 = !DILocation(line: 3, column: 3, scope: !4)
