; RUN: split-file %s %t
; RUN: lockstep-opt -passes=privatized-reductions %t/uses.ll 2>&1 | FileCheck %s --check-prefix=USES
; RUN: lockstep-opt -passes=privatized-reductions %t/fence.ll 2>&1 | FileCheck %s --check-prefix=ORDER
; RUN: lockstep-opt -passes=privatized-reductions %t/acquire.ll 2>&1 | FileCheck %s --check-prefix=ORDER
; RUN: lockstep-opt -passes=privatized-reductions %t/two_orders.ll 2>&1 | FileCheck %s --check-prefix=TWO
; RUN: lockstep-opt -passes=privatized-reductions %t/wide_barrier.ll 2>&1 | FileCheck %s --check-prefix=ORDER
; RUN: lockstep-opt -passes=privatized-reductions %t/waits.ll 2>&1 | FileCheck %s --check-prefix=WAITS
; RUN: lockstep-opt -passes=privatized-reductions %t/of_the_group.ll 2>&1 | FileCheck %s --check-prefix=GROUP
; RUN: lockstep-opt -passes=privatized-reductions %t/narrow.ll 2>&1 | FileCheck %s --check-prefix=NARROW
; Whoever could tell when an update gets to memory keeps its atomics.

; USES-DAG: 'read' for the workers: the kernel does more with it than to update it
; USES-DAG: 'stored' for the workers: the kernel does more with it than to update it
; USES-DAG: 'exchanged' for the workers: an update is none that can be made in any order
; USES-DAG: 'mixed' for the workers: the updates are of several kinds
; USES-DAG: 'either' for the workers: a pointer points to it or to something else
; USES-DAG: 'half.' for the workers: an update is none that can be made in any order
; USES-NOT: !lockstep.privatized
; ORDER: 'p' for the workers: a fence or an access of the kernel orders the updates before others
; ORDER-NOT: !lockstep.privatized
; TWO-DAG: 'p' for the workers: a fence or an access of the kernel orders the updates before others
; TWO-DAG: 'q' for the workers: a fence or an access of the kernel orders the updates before others
; TWO-NOT: !lockstep.privatized
; WAITS: 'p' for the workers: the kernel waits for others
; WAITS-NOT: !lockstep.privatized
; GROUP-DAG: each worker has a copy of 'p'
; GROUP-DAG: plain updates of 'own': no other work-group may look
; GROUP: atomicrmw add ptr addrspace(1) %own, i32 1 syncscope("workgroup") monotonic, align 4{{$}}
; GROUP: atomicrmw add ptr addrspace(1) %p, i32 1 monotonic, align 4, !lockstep.privatized
; NARROW-DAG: 'p' for the workers: the check compares the updates, whose scope does not reach other groups
; NARROW-DAG: each worker has a copy of 'wide'
; NARROW: atomicrmw add ptr addrspace(1) %p, i32 1 monotonic, align 4, !dbg
; NARROW-NOT: !lockstep.privatized
; NARROW: atomicrmw add ptr addrspace(1) %wide, {{.*}}, !lockstep.privatized

;--- uses.ll
define spir_kernel void @uses(ptr addrspace(1) %read, ptr addrspace(1) %stored, ptr addrspace(1) %exchanged, ptr addrspace(1) %mixed, ptr addrspace(1) %either, ptr addrspace(1) %or, ptr addrspace(1) %half., i1 %c) {
  %a = atomicrmw add ptr addrspace(1) %read, i32 1 monotonic
  %at = getelementptr i32, ptr addrspace(1) %read, i64 1
  %b = load i32, ptr addrspace(1) %at
  %d = atomicrmw add ptr addrspace(1) %stored, i32 %b monotonic
  store ptr addrspace(1) %stored, ptr addrspace(1) %or
  %e = atomicrmw add ptr addrspace(1) %exchanged, i32 1 monotonic
  %f = atomicrmw xchg ptr addrspace(1) %exchanged, i32 1 monotonic
  %i = atomicrmw add ptr addrspace(1) %mixed, i32 1 monotonic
  %j = atomicrmw or ptr addrspace(1) %mixed, i32 1 monotonic
  %k = select i1 %c, ptr addrspace(1) %either, ptr addrspace(1) %or
  %l = atomicrmw add ptr addrspace(1) %k, i32 1 monotonic
  %m = atomicrmw add ptr addrspace(1) %half., i16 1 monotonic
  %n = atomicrmw add ptr addrspace(1) %half., i32 1 monotonic
  ret void
}

;--- fence.ll
define spir_kernel void @fence(ptr addrspace(1) %p) {
  %a = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic
  fence acq_rel
  %at = getelementptr i32, ptr addrspace(1) %p, i64 1
  %b = atomicrmw add ptr addrspace(1) %at, i32 1 monotonic
  ret void
}

;--- acquire.ll
define spir_kernel void @acquire(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %a = load atomic i32, ptr addrspace(1) %q acquire, align 4
  %b = atomicrmw add ptr addrspace(1) %p, i32 %a monotonic
  ret void
}

;--- two_orders.ll
; Another thread that sees the update of q must see that of p.
define spir_kernel void @two_orders(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %a = atomicrmw add ptr addrspace(1) %p, i32 1 seq_cst
  %b = atomicrmw add ptr addrspace(1) %q, i32 1 release
  ret void
}

;--- wide_barrier.ll
define spir_kernel void @wide_barrier(ptr addrspace(1) %p) {
  %a = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic
  call void @__lockstep_barrier(i32 -2147483646)
  ret void
}
declare void @__lockstep_barrier(i32) convergent

;--- waits.ll
define spir_kernel void @waits(ptr addrspace(1) %p) "lockstep-form"="resumable" {
  %a = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic
  ret void
}

;--- of_the_group.ll
; Nobody outside of the group sees what is ordered in it.
@counter = internal addrspace(3) global i32 undef
define spir_kernel void @of_the_group(ptr addrspace(1) %p, ptr addrspace(1) %own, ptr addrspace(1) %flag) {
  %a = atomicrmw add ptr addrspace(3) @counter, i32 1 seq_cst
  %c = atomicrmw add ptr addrspace(1) %own, i32 1 syncscope("workgroup") monotonic, align 4
  store atomic i32 1, ptr addrspace(1) %flag syncscope("workgroup") seq_cst, align 4
  fence syncscope("workgroup") seq_cst
  call void @__lockstep_barrier(i32 3)
  %b = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic, align 4
  ret void
}
declare void @__lockstep_barrier(i32) convergent

;--- narrow.ll
define spir_kernel void @narrow(ptr addrspace(1) %p, ptr addrspace(1) %wide) !dbg !3 {
  %a = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic, align 4, !dbg !5
  %b = atomicrmw add ptr addrspace(1) %wide, i32 1 monotonic, align 4, !dbg !6
  ret void
}
!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}
!lockstep.check.scopes = !{!7}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_OpenCL, file: !2, emissionKind: LineTablesOnly)
!2 = !DIFile(filename: "a.cl", directory: "")
!3 = distinct !DISubprogram(name: "narrow", scope: !2, file: !2, line: 1, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !{null})
!5 = !DILocation(line: 1, column: 7, scope: !3)
!6 = !DILocation(line: 2, column: 7, scope: !3)
!7 = !{!"a.cl", i32 1, i32 7, i32 2, i32 0, i32 0, i32 0}
