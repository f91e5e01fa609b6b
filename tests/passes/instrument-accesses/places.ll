; RUN: lockstep-opt -passes=instrument-accesses %s | FileCheck %s
; LLVM gives no line to a load that it has made of two, or has moved. The site has that of its address, or of who uses what is read,
; and a store that of what is written.

; CHECK-DAG: @[[LOAD:check.site[.0-9]*]] = internal global {{.*}} { i32 0, i32 7, i32 3, i32 4, i32 0,
; CHECK-DAG: @[[STORE:check.site[.0-9]*]] = internal global {{.*}} { i32 0, i32 8, i32 5, i32 4, i32 1,
; CHECK-DAG: @[[UNUSED:check.site[.0-9]*]] = internal global {{.*}} { i32 0, i32 0, i32 0, i32 4, i32 0,

; CHECK-DAG: @[[ELEMENT:check.site[.0-9]*]] = internal global {{.*}} { i32 0, i32 9, i32 6, i32 4, i32 1,

; CHECK-LABEL: define spir_kernel void @k
; CHECK: call void @__lockstep_check_access({{.*}}, ptr @[[LOAD]],
; CHECK: call void @__lockstep_check_access({{.*}}, ptr @[[STORE]],
; CHECK: call void @__lockstep_check_access({{.*}}, ptr @[[UNUSED]],
; CHECK: call void @__lockstep_check_access({{.*}}, ptr @[[ELEMENT]],
define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) sanitize_thread !dbg !3 {
  %a = load i32, ptr addrspace(1) %p, !dbg !4
  br label %next
next:
  %once = phi i32 [ %a, %0 ]
  %sum = add i32 %once, 1, !dbg !5
  %product = mul i32 %sum, %n, !dbg !6
  store i32 %product, ptr addrspace(1) %p, !dbg !4
  %unused = load i32, ptr addrspace(1) %p, !dbg !4
  %element = getelementptr i32, ptr addrspace(1) %p, i32 %n, !dbg !8
  store i32 1, ptr addrspace(1) %element
  ret void
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!7}
!0 = distinct !DICompileUnit(language: DW_LANG_OpenCL, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "a.cl", directory: "")
!2 = !DISubroutineType(types: !{})
!3 = distinct !DISubprogram(name: "k", file: !1, line: 1, type: !2, unit: !0, spFlags: DISPFlagDefinition)
!4 = !DILocation(line: 0, scope: !3)
!5 = !DILocation(line: 7, column: 3, scope: !3)
!6 = !DILocation(line: 8, column: 5, scope: !3)
!8 = !DILocation(line: 9, column: 6, scope: !3)
!7 = !{i32 2, !"Debug Info Version", i32 3}
