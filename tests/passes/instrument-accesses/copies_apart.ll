; RUN: lockstep-opt -passes=instrument-accesses %s | FileCheck %s
; Local memory that copies reach needs no check where a wait is between the copy and the access, and a barrier between the
; access and the next copy. The wait is a barrier that the notes name: a.cl:1:7 here.

; CHECK-LABEL: define spir_kernel void @awaited
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @awaited(ptr addrspace(1) %from, ptr addrspace(3) %to, i64 %n) "lockstep-local-size"="64,1,1" !dbg !3 {
  %id = call i64 @__lockstep_local_id(i32 0)
  %a = addrspacecast ptr addrspace(3) %to to ptr addrspace(4)
  %b = addrspacecast ptr addrspace(1) %from to ptr addrspace(4)
  call void @__lockstep_group_copy(ptr addrspace(4) %a, ptr addrspace(4) %b, i64 %n, i64 1, i64 1, i64 4)
  call void @__lockstep_barrier(i32 1), !dbg !5
  %p = getelementptr i32, ptr addrspace(3) %to, i64 %id
  %c = load i32, ptr addrspace(3) %p
  ret void
}

; CHECK-LABEL: define spir_kernel void @not_awaited
; CHECK: call void @__lockstep_check_access(
; CHECK: ret void
define spir_kernel void @not_awaited(ptr addrspace(1) %from, ptr addrspace(3) %to, i64 %n) "lockstep-local-size"="64,1,1" !dbg !8 {
  %id = call i64 @__lockstep_local_id(i32 0)
  %a = addrspacecast ptr addrspace(3) %to to ptr addrspace(4)
  %b = addrspacecast ptr addrspace(1) %from to ptr addrspace(4)
  call void @__lockstep_group_copy(ptr addrspace(4) %a, ptr addrspace(4) %b, i64 %n, i64 1, i64 1, i64 4)
  call void @__lockstep_barrier(i32 1)
  %p = getelementptr i32, ptr addrspace(3) %to, i64 %id
  %c = load i32, ptr addrspace(3) %p
  ret void
}

; The next round's copy does not wait for who reads still.
; CHECK-LABEL: define spir_kernel void @rounds
; CHECK: call void @__lockstep_check_access(
; CHECK: ret void
define spir_kernel void @rounds(ptr addrspace(1) %from, ptr addrspace(3) %to, i64 %n) "lockstep-local-size"="64,1,1" !dbg !9 {
  %id = call i64 @__lockstep_local_id(i32 0)
  %a = addrspacecast ptr addrspace(3) %to to ptr addrspace(4)
  %b = addrspacecast ptr addrspace(1) %from to ptr addrspace(4)
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  call void @__lockstep_group_copy(ptr addrspace(4) %a, ptr addrspace(4) %b, i64 %n, i64 1, i64 1, i64 4)
  call void @__lockstep_barrier(i32 1), !dbg !10
  %p = getelementptr i32, ptr addrspace(3) %to, i64 %id
  %c = load i32, ptr addrspace(3) %p
  %next = add i64 %i, 1
  %goes_on = icmp ult i64 %next, %n
  br i1 %goes_on, label %loop, label %end
end:
  ret void
}

; Each group writes a row of its own: the launch looks at the numbers. That the copy is made is told, for its event.
; CHECK-LABEL: define spir_kernel void @own_row
; CHECK: call void @__lockstep_check_copy(ptr addrspace(4) %{{.*}}, i64 0, i64 0, i64 0, i64 0, i64 0,
; CHECK-NOT: check_copy
; CHECK: ret void
define spir_kernel void @own_row(ptr addrspace(3) %from, ptr addrspace(1) %to, i64 %pitch, i64 %n) "lockstep-local-size"="64,1,1" {
  %group = call i64 @__lockstep_group_id(i32 0)
  %first = mul i64 %group, %pitch
  %row = getelementptr i32, ptr addrspace(1) %to, i64 %first
  %a = addrspacecast ptr addrspace(1) %row to ptr addrspace(4)
  %b = addrspacecast ptr addrspace(3) %from to ptr addrspace(4)
  call void @__lockstep_group_copy(ptr addrspace(4) %a, ptr addrspace(4) %b, i64 %n, i64 1, i64 1, i64 4)
  ret void
}

; Again and again, and by an address from memory.
; CHECK-LABEL: define spir_kernel void @rows_of_rounds
; CHECK: call void @__lockstep_check_copy(ptr addrspace(4) %{{.*}}, i64 %{{.*}}, i64 1, i64 0, i64 1, i64 0,
; CHECK: ret void
define spir_kernel void @rows_of_rounds(ptr addrspace(3) %from, ptr addrspace(1) %to, i64 %pitch, i64 %n) "lockstep-local-size"="64,1,1" {
  %a = addrspacecast ptr addrspace(1) %to to ptr addrspace(4)
  %b = addrspacecast ptr addrspace(3) %from to ptr addrspace(4)
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  call void @__lockstep_group_copy(ptr addrspace(4) %a, ptr addrspace(4) %b, i64 %n, i64 1, i64 1, i64 4)
  %next = add i64 %i, 1
  %goes_on = icmp ult i64 %next, %n
  br i1 %goes_on, label %loop, label %end
end:
  ret void
}

; Two that are under way at once, beside each other; one after the other behind a wait; and in a loop without any.
; CHECK-LABEL: define spir_kernel void @beside
; CHECK: call void @__lockstep_check_copy(ptr addrspace(4) %{{.*}}, i64 0, i64 0, i64 0, i64 0, i64 0,
; CHECK: call void @__lockstep_group_copy
; CHECK: call void @__lockstep_check_copy(ptr addrspace(4) %{{.*}}, i64 0, i64 0, i64 0, i64 0, i64 0,
; CHECK-NEXT: call void @__lockstep_group_copy
define spir_kernel void @beside(ptr addrspace(1) %from, ptr addrspace(3) %to, i64 %n) "lockstep-local-size"="64,1,1" {
  %a = addrspacecast ptr addrspace(3) %to to ptr addrspace(4)
  %b = addrspacecast ptr addrspace(1) %from to ptr addrspace(4)
  %second = getelementptr i32, ptr addrspace(3) %to, i64 %n
  %c = addrspacecast ptr addrspace(3) %second to ptr addrspace(4)
  call void @__lockstep_group_copy(ptr addrspace(4) %a, ptr addrspace(4) %b, i64 %n, i64 1, i64 1, i64 4)
  call void @__lockstep_group_copy(ptr addrspace(4) %c, ptr addrspace(4) %b, i64 %n, i64 1, i64 1, i64 4)
  ret void
}

; The bytes of a copy, or the distance between two elements, are a number of more than 64 bits: they are compared.
; CHECK-LABEL: define spir_kernel void @beside_far_elements
; CHECK: call void @__lockstep_check_copy(ptr addrspace(4) %{{.*}}, i64 4, i64 %n,
; CHECK: call void @__lockstep_group_copy
; CHECK: call void @__lockstep_check_copy(ptr addrspace(4) %{{.*}}, i64 4, i64 %n,
; CHECK: ret void
define spir_kernel void @beside_far_elements(ptr addrspace(1) %from, ptr addrspace(3) %to, i64 %n) "lockstep-local-size"="64,1,1" {
  %a = addrspacecast ptr addrspace(3) %to to ptr addrspace(4)
  %b = addrspacecast ptr addrspace(1) %from to ptr addrspace(4)
  %second = getelementptr i32, ptr addrspace(3) %to, i64 %n
  %c = addrspacecast ptr addrspace(3) %second to ptr addrspace(4)
  call void @__lockstep_group_copy(ptr addrspace(4) %a, ptr addrspace(4) %b, i64 %n, i64 4611686018427387904, i64 1, i64 4)
  call void @__lockstep_group_copy(ptr addrspace(4) %c, ptr addrspace(4) %b, i64 %n, i64 4611686018427387904, i64 1, i64 4)
  ret void
}

; CHECK-LABEL: define spir_kernel void @beside_many_bytes
; CHECK: call void @__lockstep_check_copy(ptr addrspace(4) %{{.*}}, i64 4, i64 8, i64 1152921504606846976,
; CHECK: ret void
define spir_kernel void @beside_many_bytes(ptr addrspace(1) %from, ptr addrspace(3) %to, i64 %n) "lockstep-local-size"="64,1,1" {
  %a = addrspacecast ptr addrspace(3) %to to ptr addrspace(4)
  %b = addrspacecast ptr addrspace(1) %from to ptr addrspace(4)
  %second = getelementptr i32, ptr addrspace(3) %to, i64 %n
  %c = addrspacecast ptr addrspace(3) %second to ptr addrspace(4)
  call void @__lockstep_group_copy(ptr addrspace(4) %a, ptr addrspace(4) %b, i64 8, i64 288230376151711744, i64 1, i64 4)
  call void @__lockstep_group_copy(ptr addrspace(4) %c, ptr addrspace(4) %b, i64 8, i64 288230376151711744, i64 1, i64 4)
  ret void
}

; CHECK-LABEL: define spir_kernel void @beside_in_rounds
; CHECK: call void @__lockstep_check_copy(ptr addrspace(4) %{{.*}}, i64 4, i64 1, i64 0, i64 1, i64 0,
define spir_kernel void @beside_in_rounds(ptr addrspace(1) %from, ptr addrspace(3) %to, i64 %n) "lockstep-local-size"="64,1,1" {
  %b = addrspacecast ptr addrspace(1) %from to ptr addrspace(4)
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  %there = getelementptr i32, ptr addrspace(3) %to, i64 %i
  %a = addrspacecast ptr addrspace(3) %there to ptr addrspace(4)
  call void @__lockstep_group_copy(ptr addrspace(4) %a, ptr addrspace(4) %b, i64 1, i64 1, i64 1, i64 4)
  %next = add i64 %i, 1
  %goes_on = icmp ult i64 %next, %n
  br i1 %goes_on, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: define spir_kernel void @rounds_with_barrier
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @rounds_with_barrier(ptr addrspace(1) %from, ptr addrspace(3) %to, i64 %n) "lockstep-local-size"="64,1,1" !dbg !11 {
  %id = call i64 @__lockstep_local_id(i32 0)
  %a = addrspacecast ptr addrspace(3) %to to ptr addrspace(4)
  %b = addrspacecast ptr addrspace(1) %from to ptr addrspace(4)
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  call void @__lockstep_group_copy(ptr addrspace(4) %a, ptr addrspace(4) %b, i64 %n, i64 1, i64 1, i64 4)
  call void @__lockstep_barrier(i32 1), !dbg !12
  %p = getelementptr i32, ptr addrspace(3) %to, i64 %id
  %c = load i32, ptr addrspace(3) %p
  call void @__lockstep_barrier(i32 1)
  %next = add i64 %i, 1
  %goes_on = icmp ult i64 %next, %n
  br i1 %goes_on, label %loop, label %end
end:
  ret void
}

; What is copied out was written before a barrier, and the other way round.
; CHECK-LABEL: define spir_kernel void @out
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @out(ptr addrspace(1) %to, ptr addrspace(3) %from, i64 %n) "lockstep-local-size"="64,1,1" !dbg !13 {
  %id = call i64 @__lockstep_local_id(i32 0)
  %a = addrspacecast ptr addrspace(1) %to to ptr addrspace(4)
  %b = addrspacecast ptr addrspace(3) %from to ptr addrspace(4)
  %p = getelementptr i32, ptr addrspace(3) %from, i64 %id
  store i32 1, ptr addrspace(3) %p
  call void @__lockstep_barrier(i32 1)
  %c = load i32, ptr addrspace(3) %p
  call void @__lockstep_group_copy(ptr addrspace(4) %a, ptr addrspace(4) %b, i64 %n, i64 1, i64 1, i64 4)
  %d = load i32, ptr addrspace(3) %p
  ret void
}

; CHECK-LABEL: define spir_kernel void @out_too_early
; CHECK: call void @__lockstep_check_access(
; CHECK: ret void
define spir_kernel void @out_too_early(ptr addrspace(1) %to, ptr addrspace(3) %from, i64 %n) "lockstep-local-size"="64,1,1" !dbg !14 {
  %id = call i64 @__lockstep_local_id(i32 0)
  %a = addrspacecast ptr addrspace(1) %to to ptr addrspace(4)
  %b = addrspacecast ptr addrspace(3) %from to ptr addrspace(4)
  %p = getelementptr i32, ptr addrspace(3) %from, i64 %id
  store i32 1, ptr addrspace(3) %p
  call void @__lockstep_group_copy(ptr addrspace(4) %a, ptr addrspace(4) %b, i64 %n, i64 1, i64 1, i64 4)
  ret void
}

declare i64 @__lockstep_local_id(i32)
declare i64 @__lockstep_group_id(i32)
declare void @__lockstep_barrier(i32) convergent nounwind
declare void @__lockstep_group_copy(ptr addrspace(4), ptr addrspace(4), i64, i64, i64, i64) convergent nounwind

!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}
!lockstep.check.scopes = !{!7}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_OpenCL, file: !2, emissionKind: LineTablesOnly)
!2 = !DIFile(filename: "a.cl", directory: "")
!3 = distinct !DISubprogram(name: "awaited", scope: !2, file: !2, line: 1, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !{null})
!5 = !DILocation(line: 1, column: 7, scope: !3)
!7 = !{!"a.cl", i32 1, i32 7, i32 2, i32 0, i32 1, i32 0}
!8 = distinct !DISubprogram(name: "not_awaited", scope: !2, file: !2, line: 1, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!9 = distinct !DISubprogram(name: "rounds", scope: !2, file: !2, line: 1, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!10 = !DILocation(line: 1, column: 7, scope: !9)
!11 = distinct !DISubprogram(name: "rounds_with_barrier", scope: !2, file: !2, line: 1, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!12 = !DILocation(line: 1, column: 7, scope: !11)
!13 = distinct !DISubprogram(name: "out", scope: !2, file: !2, line: 1, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!14 = distinct !DISubprogram(name: "out_too_early", scope: !2, file: !2, line: 1, type: !4, unit: !1, spFlags: DISPFlagDefinition)
