; RUN: lockstep-opt -passes=instrument-accesses %s | FileCheck %s
; A wait for the event of another copy does not keep an access apart from this one. The waits are barriers that the notes
; name: a.cl:1:7 here.

; CHECK-LABEL: define spir_kernel void @own_event
define spir_kernel void @own_event(ptr addrspace(1) %from, ptr addrspace(3) %to, i64 %n) "lockstep-local-size"="64,1,1" !dbg !3 {
  %id = call i64 @__lockstep_local_id(i32 0)
  %a = addrspacecast ptr addrspace(3) %to to ptr addrspace(4)
  %b = addrspacecast ptr addrspace(1) %from to ptr addrspace(4)
  %event = call i64 @__lockstep_record_copy(i64 0)
  call void @__lockstep_group_copy(ptr addrspace(4) %a, ptr addrspace(4) %b, i64 %n, i64 1, i64 1, i64 4)
  call void @__lockstep_record_awaited(i64 %event)
  call void @__lockstep_barrier(i32 1), !dbg !5
  %p = getelementptr i32, ptr addrspace(3) %to, i64 %id
  ; CHECK: %p = getelementptr
  ; CHECK-NEXT: load i32
  %c = load i32, ptr addrspace(3) %p
  ret void
}

; CHECK-LABEL: define spir_kernel void @other_event
define spir_kernel void @other_event(ptr addrspace(1) %from, ptr addrspace(3) %to, ptr addrspace(3) %other, i64 %n) "lockstep-local-size"="64,1,1" !dbg !8 {
  %id = call i64 @__lockstep_local_id(i32 0)
  %a = addrspacecast ptr addrspace(3) %to to ptr addrspace(4)
  %b = addrspacecast ptr addrspace(1) %from to ptr addrspace(4)
  %d = addrspacecast ptr addrspace(3) %other to ptr addrspace(4)
  %event = call i64 @__lockstep_record_copy(i64 0)
  call void @__lockstep_group_copy(ptr addrspace(4) %a, ptr addrspace(4) %b, i64 %n, i64 1, i64 1, i64 4)
  %second = call i64 @__lockstep_record_copy(i64 0)
  call void @__lockstep_group_copy(ptr addrspace(4) %d, ptr addrspace(4) %b, i64 %n, i64 1, i64 1, i64 4)
  call void @__lockstep_record_awaited(i64 %second)
  call void @__lockstep_barrier(i32 1), !dbg !10
  %p = getelementptr i32, ptr addrspace(3) %to, i64 %id
  ; CHECK: %p = getelementptr
  ; CHECK: check_access
  ; CHECK: load i32
  %c = load i32, ptr addrspace(3) %p
  ret void
}

; A copy that is given an event gives that back: who waits for one waits for both.
; CHECK-LABEL: define spir_kernel void @one_event
define spir_kernel void @one_event(ptr addrspace(1) %from, ptr addrspace(3) %to, ptr addrspace(3) %other, i64 %n) "lockstep-local-size"="64,1,1" !dbg !9 {
  %id = call i64 @__lockstep_local_id(i32 0)
  %a = addrspacecast ptr addrspace(3) %to to ptr addrspace(4)
  %b = addrspacecast ptr addrspace(1) %from to ptr addrspace(4)
  %d = addrspacecast ptr addrspace(3) %other to ptr addrspace(4)
  %event = call i64 @__lockstep_record_copy(i64 0)
  call void @__lockstep_group_copy(ptr addrspace(4) %a, ptr addrspace(4) %b, i64 %n, i64 1, i64 1, i64 4)
  %second = call i64 @__lockstep_record_copy(i64 %event)
  call void @__lockstep_group_copy(ptr addrspace(4) %d, ptr addrspace(4) %b, i64 %n, i64 1, i64 1, i64 4)
  call void @__lockstep_record_awaited(i64 %second)
  call void @__lockstep_barrier(i32 1), !dbg !11
  %p = getelementptr i32, ptr addrspace(3) %to, i64 %id
  ; CHECK: %p = getelementptr
  ; CHECK-NEXT: load i32
  %c = load i32, ptr addrspace(3) %p
  ret void
}

declare i64 @__lockstep_local_id(i32)
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
!3 = distinct !DISubprogram(name: "own_event", scope: !2, file: !2, line: 1, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !{null})
!5 = !DILocation(line: 1, column: 7, scope: !3)
!7 = !{!"a.cl", i32 1, i32 7, i32 2, i32 0, i32 1, i32 0}
!8 = distinct !DISubprogram(name: "other_event", scope: !2, file: !2, line: 1, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!9 = distinct !DISubprogram(name: "one_event", scope: !2, file: !2, line: 1, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!10 = !DILocation(line: 1, column: 7, scope: !8)
!11 = !DILocation(line: 1, column: 7, scope: !9)
