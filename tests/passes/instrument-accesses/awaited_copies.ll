; RUN: lockstep-opt -passes=instrument-accesses %s | FileCheck %s
; Copies that conflict with nothing are not reported, nor are their waits, if every path from a copy leads all work-items to a wait for
; its event. The waits are barriers that the notes name.

; All work-items wait for the copy.
; CHECK-LABEL: define spir_kernel void @awaited
; CHECK-NOT: __lockstep_check_
; CHECK: ret void
define spir_kernel void @awaited(ptr addrspace(1) %from, ptr addrspace(3) %to, i64 %n) "lockstep-local-size"="64,1,1" !dbg !13 {
  %id = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %a = addrspacecast ptr addrspace(3) %to to ptr addrspace(4)
  %b = addrspacecast ptr addrspace(1) %from to ptr addrspace(4)
  %event = call i64 @__lockstep_record_copy(i64 0)
  call void @__lockstep_group_copy(ptr addrspace(4) %a, ptr addrspace(4) %b, i64 %n, i64 1, i64 1, i64 4)
  call void @__lockstep_record_awaited(i64 %event)
  call void @__lockstep_barrier(i32 1), !dbg !14
  %p = getelementptr i32, ptr addrspace(3) %to, i64 %id
  %c = load i32, ptr addrspace(3) %p
  ret void
}

; In each iteration.
; CHECK-LABEL: define spir_kernel void @in_a_loop
; CHECK-NOT: __lockstep_check_
; CHECK: ret void
define spir_kernel void @in_a_loop(ptr addrspace(1) %from, ptr addrspace(3) %to, i64 %n) "lockstep-local-size"="64,1,1" !dbg !16 {
  %id = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %a = addrspacecast ptr addrspace(3) %to to ptr addrspace(4)
  %b = addrspacecast ptr addrspace(1) %from to ptr addrspace(4)
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  call void @__lockstep_barrier(i32 1)
  %event = call i64 @__lockstep_record_copy(i64 0)
  call void @__lockstep_group_copy(ptr addrspace(4) %a, ptr addrspace(4) %b, i64 %n, i64 1, i64 1, i64 4)
  call void @__lockstep_record_awaited(i64 %event)
  call void @__lockstep_barrier(i32 1), !dbg !17
  %p = getelementptr i32, ptr addrspace(3) %to, i64 %id
  %c = load i32, ptr addrspace(3) %p
  %next = add i64 %i, 1
  %goes_on = icmp ult i64 %next, %n
  br i1 %goes_on, label %loop, label %end
end:
  ret void
}

; Nobody waits.
; CHECK-LABEL: define spir_kernel void @never
; CHECK: call void @__lockstep_check_copy(
; CHECK: ret void
define spir_kernel void @never(ptr addrspace(1) %from, ptr addrspace(3) %to, i64 %n) "lockstep-local-size"="64,1,1" !dbg !19 {
  %id = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %a = addrspacecast ptr addrspace(3) %to to ptr addrspace(4)
  %b = addrspacecast ptr addrspace(1) %from to ptr addrspace(4)
  %event = call i64 @__lockstep_record_copy(i64 0)
  call void @__lockstep_group_copy(ptr addrspace(4) %a, ptr addrspace(4) %b, i64 %n, i64 1, i64 1, i64 4)
  ret void
}

; Some groups do.
; CHECK-LABEL: define spir_kernel void @on_one_path
; CHECK: call void @__lockstep_check_copy(
; CHECK: ret void
define spir_kernel void @on_one_path(ptr addrspace(1) %from, ptr addrspace(3) %to, i64 %n) "lockstep-local-size"="64,1,1" !dbg !22 {
  %id = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %a = addrspacecast ptr addrspace(3) %to to ptr addrspace(4)
  %b = addrspacecast ptr addrspace(1) %from to ptr addrspace(4)
  %event = call i64 @__lockstep_record_copy(i64 0)
  call void @__lockstep_group_copy(ptr addrspace(4) %a, ptr addrspace(4) %b, i64 %n, i64 1, i64 1, i64 4)
  %is_first = icmp eq i64 %group, 0
  br i1 %is_first, label %end, label %wait
wait:
  call void @__lockstep_record_awaited(i64 %event)
  call void @__lockstep_barrier(i32 1), !dbg !23
  ret void
end:
  ret void
}

; Not all work-items of a group.
; CHECK-LABEL: define spir_kernel void @by_some_items
; CHECK: call void @__lockstep_check_copy(
; CHECK: ret void
define spir_kernel void @by_some_items(ptr addrspace(1) %from, ptr addrspace(3) %to, i64 %n) "lockstep-local-size"="64,1,1" !dbg !25 {
  %id = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %a = addrspacecast ptr addrspace(3) %to to ptr addrspace(4)
  %b = addrspacecast ptr addrspace(1) %from to ptr addrspace(4)
  %event = call i64 @__lockstep_record_copy(i64 0)
  call void @__lockstep_group_copy(ptr addrspace(4) %a, ptr addrspace(4) %b, i64 %n, i64 1, i64 1, i64 4)
  %is_first = icmp eq i64 %id, 0
  br i1 %is_first, label %end, label %wait
wait:
  br label %end
end:
  call void @__lockstep_record_awaited(i64 %event)
  %is_second = icmp eq i64 %id, 1
  br i1 %is_second, label %last, label %more
more:
  call void @__lockstep_barrier(i32 1), !dbg !26
  br label %last
last:
  ret void
}

; The event comes from elsewhere.
; CHECK-LABEL: define spir_kernel void @given_event
; CHECK: call void @__lockstep_check_copy(
; CHECK: ret void
define spir_kernel void @given_event(ptr addrspace(1) %from, ptr addrspace(3) %to, i64 %n) "lockstep-local-size"="64,1,1" !dbg !28 {
  %id = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %a = addrspacecast ptr addrspace(3) %to to ptr addrspace(4)
  %b = addrspacecast ptr addrspace(1) %from to ptr addrspace(4)
  %event = call i64 @__lockstep_record_copy(i64 %n)
  call void @__lockstep_group_copy(ptr addrspace(4) %a, ptr addrspace(4) %b, i64 %n, i64 1, i64 1, i64 4)
  call void @__lockstep_record_awaited(i64 %event)
  call void @__lockstep_barrier(i32 1), !dbg !29
  ret void
}

; One of the awaited events may be another one for each work-item.
; CHECK-LABEL: define spir_kernel void @unknown_event
; CHECK: call void @__lockstep_check_copy(
; CHECK: ret void
define spir_kernel void @unknown_event(ptr addrspace(1) %from, ptr addrspace(3) %to, i64 %n) "lockstep-local-size"="64,1,1" !dbg !31 {
  %id = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %a = addrspacecast ptr addrspace(3) %to to ptr addrspace(4)
  %b = addrspacecast ptr addrspace(1) %from to ptr addrspace(4)
  %event = call i64 @__lockstep_record_copy(i64 0)
  call void @__lockstep_group_copy(ptr addrspace(4) %a, ptr addrspace(4) %b, i64 %n, i64 1, i64 1, i64 4)
  call void @__lockstep_record_awaited(i64 %event)
  call void @__lockstep_record_awaited(i64 %id)
  call void @__lockstep_barrier(i32 1), !dbg !32
  ret void
}

declare i64 @__lockstep_local_id(i32)
declare i64 @__lockstep_group_id(i32)
declare i64 @__lockstep_record_copy(i64)
declare void @__lockstep_record_awaited(i64)
declare void @__lockstep_barrier(i32) convergent nounwind
declare void @__lockstep_group_copy(ptr addrspace(4), ptr addrspace(4), i64, i64, i64, i64) convergent nounwind

!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}
!lockstep.check.scopes = !{!7}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_OpenCL, file: !2, emissionKind: LineTablesOnly)
!2 = !DIFile(filename: "a.cl", directory: "")
!4 = !DISubroutineType(types: !{null})
!7 = !{!"a.cl", i32 1, i32 7, i32 2, i32 0, i32 1, i32 0}
!13 = distinct !DISubprogram(name: "awaited", scope: !2, file: !2, line: 1, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!14 = !DILocation(line: 1, column: 7, scope: !13)
!16 = distinct !DISubprogram(name: "in_a_loop", scope: !2, file: !2, line: 1, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!17 = !DILocation(line: 1, column: 7, scope: !16)
!19 = distinct !DISubprogram(name: "never", scope: !2, file: !2, line: 1, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!20 = !DILocation(line: 1, column: 7, scope: !19)
!22 = distinct !DISubprogram(name: "on_one_path", scope: !2, file: !2, line: 1, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!23 = !DILocation(line: 1, column: 7, scope: !22)
!25 = distinct !DISubprogram(name: "by_some_items", scope: !2, file: !2, line: 1, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!26 = !DILocation(line: 1, column: 7, scope: !25)
!28 = distinct !DISubprogram(name: "given_event", scope: !2, file: !2, line: 1, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!29 = !DILocation(line: 1, column: 7, scope: !28)
!31 = distinct !DISubprogram(name: "unknown_event", scope: !2, file: !2, line: 1, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!32 = !DILocation(line: 1, column: 7, scope: !31)
