; RUN: lockstep-opt -passes='canonicalize-flow,linearize' --local-size=16,1,1 %s 2>&1 | FileCheck %s
; A loop that work-items leave at different times and a branch that they take differently are remarked, at their place in
; the source; a uniform loop is not.

; CHECK-DAG: remark: a.cl:3:7: lanes: divergent branch
; CHECK-DAG: remark: a.cl:5:9: lanes: divergent loop
; CHECK-NOT: a.cl:8
define void @kernel(ptr addrspace(1) %p, i32 %n) "lockstep-sub-group-size"="16" !dbg !3 {
entry:
  %lane = call i64 @__lockstep_lane(), !dbg !10
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %lane
  %limit = load i32, ptr addrspace(1) %place, !dbg !10
  %positive = icmp sgt i32 %limit, 0
  br i1 %positive, label %divergent, label %uniform, !dbg !11
divergent:
  %i = phi i32 [ 0, %entry ], [ %next, %divergent ]
  %next = add i32 %i, 1, !dbg !12
  %done = icmp sgt i32 %i, %limit, !dbg !12
  br i1 %done, label %uniform, label %divergent, !dbg !12
uniform:
  %value = phi i32 [ 0, %entry ], [ %i, %divergent ]
  br label %again, !dbg !13
again:
  %j = phi i32 [ 0, %uniform ], [ %next.j, %again ]
  %next.j = add i32 %j, 1, !dbg !13
  %end = icmp sgt i32 %j, %n, !dbg !13
  br i1 %end, label %last, label %again, !dbg !13
last:
  store i32 %value, ptr addrspace(1) %place, !dbg !10
  ret void, !dbg !10
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)

!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C99, file: !2, emissionKind: NoDebug)
!2 = !DIFile(filename: "a.cl", directory: "/")
!3 = distinct !DISubprogram(name: "kernel", scope: !2, file: !2, line: 1, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !5)
!5 = !{}
!10 = !DILocation(line: 2, column: 3, scope: !3)
!11 = !DILocation(line: 3, column: 7, scope: !3)
!12 = !DILocation(line: 5, column: 9, scope: !3)
!13 = !DILocation(line: 8, column: 3, scope: !3)
