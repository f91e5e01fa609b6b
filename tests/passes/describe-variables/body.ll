; RUN: lockstep-opt -passes=describe-variables %s | FileCheck %s
; clang's kernel calls its body, and lower-launch has inlined both. The function becomes the body.

; CHECK-LABEL: define void @lockstep.sub_group(
; CHECK-SAME: !dbg ![[BODY:[0-9]+]]
; The address space of the variable is gone; a variable of the caller is, too.
; CHECK-NOT: #dbg_declare(ptr %caller
; CHECK: #dbg_declare(ptr %i, ![[VARIABLE:[0-9]+]], !DIExpression(), ![[AT_3:[0-9]+]])
; CHECK: store i32 1, ptr %i, align 4, !dbg ![[AT_3]]
; CHECK: store i32 2, ptr %v, align 4, !dbg ![[IN_CALLEE:[0-9]+]]
; What belongs to the caller has the place before it.
; CHECK: ret void, !dbg ![[IN_CALLEE]]

; CHECK-DAG: ![[BODY]] = distinct !DISubprogram(name: "blur", scope:
; CHECK-DAG: ![[VARIABLE]] = !DILocalVariable(name: "i", scope: ![[BODY]]
; CHECK-DAG: ![[AT_3]] = !DILocation(line: 3, column: 5, scope: ![[BODY]])
; CHECK-DAG: ![[IN_CALLEE]] = !DILocation(line: 8, column: 3, scope: ![[CALLEE:[0-9]+]], inlinedAt: ![[CALL:[0-9]+]])
; CHECK-DAG: ![[CALLEE]] = distinct !DISubprogram(name: "twice"
; CHECK-DAG: ![[CALL]] = distinct !DILocation(line: 4, column: 7, scope: ![[BODY]])
; CHECK-NOT: linkageName: "__clang_ocl_kern_imp_blur"
define void @lockstep.sub_group(ptr %launch, ptr %group, ptr %frame, i64 %sub.group) {
entry:
  %caller = alloca i32, align 4
  %i = alloca i32, align 4
  %v = alloca i32, align 4
    #dbg_declare(ptr %caller, !20, !DIExpression(DW_OP_constu, 0, DW_OP_swap, DW_OP_xderef), !14)
    #dbg_declare(ptr %i, !10, !DIExpression(DW_OP_constu, 0, DW_OP_swap, DW_OP_xderef), !11)
  store i32 1, ptr %i, align 4, !dbg !11
  store i32 2, ptr %v, align 4, !dbg !12
  ret void, !dbg !14
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}

!0 = distinct !DICompileUnit(language: DW_LANG_OpenCL, file: !1, isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug)
!1 = !DIFile(filename: "blur.cl", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{null})
!4 = distinct !DISubprogram(name: "blur", scope: !1, file: !1, line: 1, type: !3, spFlags: DISPFlagDefinition, unit: !0)
!5 = distinct !DISubprogram(name: "blur", linkageName: "__clang_ocl_kern_imp_blur", scope: !1, file: !1, line: 1, type: !3, spFlags: DISPFlagDefinition, unit: !0)
!6 = distinct !DISubprogram(name: "twice", scope: !1, file: !1, line: 7, type: !3, spFlags: DISPFlagDefinition, unit: !0)
!7 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!8 = distinct !DILocation(line: 1, column: 1, scope: !4)
!9 = distinct !DILocation(line: 1, column: 2, scope: !4, inlinedAt: !8)
!10 = !DILocalVariable(name: "i", scope: !5, file: !1, line: 2, type: !7)
!11 = !DILocation(line: 3, column: 5, scope: !5, inlinedAt: !9)
!12 = !DILocation(line: 8, column: 3, scope: !6, inlinedAt: !13)
!13 = distinct !DILocation(line: 4, column: 7, scope: !5, inlinedAt: !9)
!14 = !DILocation(line: 1, column: 1, scope: !4, inlinedAt: !8)
!20 = !DILocalVariable(name: "in", scope: !4, file: !1, line: 1, type: !7)
