; RUN: lockstep-opt -passes=privatized-reductions %s 2>&1 | FileCheck %s
; RUN: lockstep-opt -passes=privatized-reductions,lower-group-atomics %s 2>&1 | FileCheck %s --check-prefix=PLAIN
; RUN: lockstep-opt -passes=privatized-reductions --unprivatized-arguments=4 %s 2>&1 | FileCheck %s --check-prefix=REFUSED
; What is only counted is the worker's own while it runs, at whatever distance the pointer lies; what is read has no copy.

; CHECK-DAG: atomics: plain updates: each worker has a copy of 'bins'
; CHECK-DAG: atomics: plain updates: each worker has a copy of 'least'
; CHECK-DAG: atomics: each update is atomic, without copies of 'seen' for the workers: the kernel uses the result of an update
; CHECK: atomicrmw volatile add ptr addrspace(1) %bin, i32 1 monotonic, align 4, !lockstep.privatized
; CHECK: atomicrmw volatile sub ptr addrspace(1) %other, i32 %value monotonic, align 4, !lockstep.privatized
; CHECK: atomicrmw fmin ptr addrspace(1) %least, double 1.000000e+00 monotonic, align 8, !lockstep.privatized
; CHECK: atomicrmw add ptr addrspace(1) %seen, i32 1 monotonic, align 4{{$}}
; CHECK: !lockstep.privatized.arguments = !{![[BINS:[0-9]+]], ![[LEAST:[0-9]+]]}
; Argument, member, operation, size, first byte and end of the updates, whether the host sees them, and whether the kernel follows
; pointers that it finds.
; CHECK-DAG: ![[BINS]] = !{i32 1, i32 -1, i32 0, i32 4, i32 0, i32 0, i32 0, i32 0}
; CHECK-DAG: ![[LEAST]] = !{i32 2, i32 -1, i32 9, i32 8, i32 0, i32 8, i32 0, i32 0}

; PLAIN: load i32, ptr addrspace(1) %bin,
; PLAIN-NEXT: add i32
; PLAIN-NEXT: store i32 {{.*}}, ptr addrspace(1) %bin
; PLAIN-COUNT-1: atomicrmw

; REFUSED-DAG: atomics: plain updates: each worker has a copy of 'bins'
; REFUSED-DAG: without copies of 'least' for the workers: of this launch, others may reach its memory, or
; REFUSED: atomicrmw fmin ptr addrspace(1) %least, double 1.000000e+00 monotonic, align 8{{$}}
; REFUSED: !lockstep.privatized.arguments = !{![[BINS:[0-9]+]]}
define spir_kernel void @counts(ptr addrspace(1) %values, ptr addrspace(1) %bins, ptr addrspace(1) %least, ptr addrspace(1) %seen) {
entry:
  %value = load i32, ptr addrspace(1) %values
  %number = zext i32 %value to i64
  %bin = getelementptr i32, ptr addrspace(1) %bins, i64 %number
  %a = atomicrmw volatile add ptr addrspace(1) %bin, i32 1 monotonic, align 4
  %is.null = icmp eq ptr addrspace(1) %bins, null
  %later = getelementptr i8, ptr addrspace(1) %bins, i64 64
  %other = select i1 %is.null, ptr addrspace(1) %bins, ptr addrspace(1) %later
  %beside = getelementptr i8, ptr addrspace(1) %bin, i64 1280 ; what is known of its bits
  %bits = load i32, ptr addrspace(1) %beside, align 4, !nosanitize !0
  store i32 -1, ptr addrspace(1) %beside, align 4, !nosanitize !0
  %b = atomicrmw volatile sub ptr addrspace(1) %other, i32 %value monotonic, align 4
  %c = atomicrmw fmin ptr addrspace(1) %least, double 1.0 monotonic, align 8
  %d = atomicrmw add ptr addrspace(1) %seen, i32 1 monotonic, align 4
  %e = atomicrmw add ptr addrspace(1) %seen, i32 %d monotonic, align 4
  ret void
}
!0 = !{}
