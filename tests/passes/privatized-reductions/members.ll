; RUN: lockstep-opt -passes=privatized-reductions %s 2>&1 | FileCheck %s
; RUN: lockstep-opt -passes=privatized-reductions --unprivatized-arguments=2 %s 2>&1 | FileCheck %s --check-prefix=REFUSED
; A pointer of a function object has copies as an argument has them.

; CHECK-DAG: each worker has a copy of 'byte 8 of object'
; CHECK-DAG: without copies of 'byte 16 of object' for the workers: the kernel does more with it than to update it
; CHECK: atomicrmw add ptr addrspace(1) %bin, i32 1 syncscope("device") monotonic, align 4, !lockstep.privatized ![[MEMBER:[0-9]+]]
; CHECK: atomicrmw add ptr addrspace(1) %word, i32 2 syncscope("device") monotonic, align 4, !lockstep.privatized ![[MEMBER]]
; CHECK: atomicrmw add ptr addrspace(1) %read, i32 1 monotonic, align 4{{$}}
; CHECK-LABEL: @follows
; CHECK: !lockstep.privatized.arguments = !{![[COPY:[0-9]+]], ![[FOLLOWS:[0-9]+]]}
; CHECK-DAG: ![[MEMBER]] = !{i32 0, i32 8}
; 16 bytes before the pointer to 255 elements behind it; not the host's; no other pointers.
; CHECK-DAG: ![[COPY]] = !{i32 0, i32 8, i32 0, i32 4, i32 -16, i32 1024, i32 1, i32 0}
; CHECK-DAG: ![[FOLLOWS]] = !{i32 0, i32 8, i32 11, i32 4, i32 0, i32 4, i32 1, i32 1}

; REFUSED-DAG: without copies of 'byte 8 of object' for the workers: of this launch, others may reach its memory, or
; REFUSED-NOT: !lockstep.privatized
define spir_kernel void @counts(ptr %object, ptr addrspace(1) %values) {
entry:
  %place = getelementptr i8, ptr %object, i64 8
  %loaded = load ptr addrspace(4), ptr %place, !invariant.load !0
  %bins = addrspacecast ptr addrspace(4) %loaded to ptr addrspace(1)
  %value = load i8, ptr addrspace(1) %values
  %number = zext i8 %value to i64
  %bin = getelementptr i32, ptr addrspace(1) %bins, i64 %number
  %a = atomicrmw add ptr addrspace(1) %bin, i32 1 syncscope("device") monotonic, align 4
  %again = load ptr addrspace(4), ptr %place, !invariant.load !0
  %same = addrspacecast ptr addrspace(4) %again to ptr addrspace(1)
  %word = getelementptr i8, ptr addrspace(1) %same, i64 -16
  %b = atomicrmw add ptr addrspace(1) %word, i32 2 syncscope("device") monotonic, align 4
  %next = getelementptr i8, ptr %object, i64 16
  %other = load ptr addrspace(4), ptr %next, !invariant.load !0
  %read = addrspacecast ptr addrspace(4) %other to ptr addrspace(1)
  %c = atomicrmw add ptr addrspace(1) %read, i32 1 monotonic, align 4
  %d = load i32, ptr addrspace(1) %read, align 4
  ret void
}

; A pointer that the kernel finds in memory may lead to the same memory. The launch may not know that.
define spir_kernel void @follows(ptr %object) {
entry:
  %list.place = getelementptr i8, ptr %object, i64 16
  %list = load ptr addrspace(4), ptr %list.place, !invariant.load !0
  %found = load ptr addrspace(4), ptr addrspace(4) %list
  store i32 1, ptr addrspace(4) %found
  %place = getelementptr i8, ptr %object, i64 8
  %loaded = load ptr addrspace(4), ptr %place, !invariant.load !0
  %product = addrspacecast ptr addrspace(4) %loaded to ptr addrspace(1)
  call void @__lockstep_atomic_multiply_i32(ptr addrspace(1) %product, i32 3, i32 258)
  ret void
}
declare void @__lockstep_atomic_multiply_i32(ptr addrspace(1), i32, i32)
!0 = !{}
