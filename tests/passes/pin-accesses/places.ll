; RUN: lockstep-opt -passes='pin-accesses,function(loop-mssa(licm),guard-accesses)' --failed-assumptions=0xffffffffffffffff %s | FileCheck %s
; LLVM moves an access out of a loop, and its address too, and takes their lines away. The report has them.

; CHECK: @check.site{{.*}} = internal global {{.*}} { i32 0, i32 4, i32 5, i32 4, i32 1,
; CHECK-LABEL: define spir_kernel void @k
; CHECK: getelementptr {{.*}} !annotation ![[PLACES:[0-9]+]]
; CHECK: store i32 7, ptr addrspace(1) %place
; CHECK: loop:
; CHECK: ![[PLACES]] = !{![[PLACE:[0-9]+]]}
; CHECK: ![[PLACE]] = !{!"lockstep.place", !"a.cl", !"4", !"5"}
define spir_kernel void @k(ptr addrspace(1) %p, i64 %i, i32 %n) !dbg !3 {
  br label %loop
loop:
  %k = phi i32 [ 0, %0 ], [ %next, %loop ]
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %i, !dbg !4
  store i32 7, ptr addrspace(1) %place, !dbg !4
  %next = add nuw i32 %k, 1, !dbg !5
  %more = icmp ult i32 %next, %n, !dbg !5
  br i1 %more, label %loop, label %end, !dbg !5
end:
  ret void
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!7}
!0 = distinct !DICompileUnit(language: DW_LANG_OpenCL, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "a.cl", directory: "")
!2 = !DISubroutineType(types: !{})
!3 = distinct !DISubprogram(name: "k", file: !1, line: 1, type: !2, unit: !0, spFlags: DISPFlagDefinition)
!4 = !DILocation(line: 4, column: 5, scope: !3)
!5 = !DILocation(line: 3, column: 3, scope: !3)
!7 = !{i32 2, !"Debug Info Version", i32 3}
