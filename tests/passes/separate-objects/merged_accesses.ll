; RUN: lockstep-opt -passes=separate-objects,verify %s | FileCheck %s
; RUN: lockstep-opt -passes=separate-objects,instrument-accesses %s | FileCheck %s --check-prefix=RACES
; An access that LLVM has merged becomes one for each object.

; Nothing writes 'in', so that only the read of 'sums' is reported.
; CHECK-LABEL: @merged_load
; CHECK: %[[NUMBER:.*]] = phi i32 [ 0, %first ], [ 1, %second ]
; CHECK: %[[IS:.*]] = icmp eq i32 %[[NUMBER]], 0
; CHECK: br i1 %[[IS]], label %[[ONE:.*]], label %[[OTHER:.*]]
; CHECK: [[ONE]]:
; CHECK: getelementptr inbounds i32, ptr addrspace(1) %sums, i64 %at
; CHECK: load i32
; CHECK: [[OTHER]]:
; CHECK: getelementptr inbounds i32, ptr addrspace(1) %in, i64 %at
; CHECK: load i32
; CHECK: phi i32 [ %{{.*}}, %[[ONE]] ], [ %{{.*}}, %[[OTHER]] ]
; CHECK-NOT: load i32
; CHECK: ret void
; RACES-LABEL: @merged_load
; RACES: getelementptr inbounds i32, ptr addrspace(1) %sums, i64 %at
; RACES: call void @__lockstep_check_access
; RACES: getelementptr inbounds i32, ptr addrspace(1) %in, i64 %at
; RACES-NOT: check_access
; RACES: br label
define spir_kernel void @merged_load(ptr addrspace(1) %in, ptr addrspace(1) %sums, i1 %above, i64 %at) {
entry:
  br i1 %above, label %first, label %second
first:
  br label %joined
second:
  br label %joined
joined:
  %from = phi ptr addrspace(1) [ %sums, %first ], [ %in, %second ]
  %place = getelementptr inbounds i32, ptr addrspace(1) %from, i64 %at
  %value = load i32, ptr addrspace(1) %place, align 4
  %to = getelementptr i32, ptr addrspace(1) %sums, i64 %at
  store i32 %value, ptr addrspace(1) %to, align 4
  ret void
}

; Buffers that a loop exchanges.
; CHECK-LABEL: @exchanged
; CHECK: %[[FROM:.*]] = phi i32 [ 0, %entry ], [ %[[TO:.*]], %{{.*}} ]
; CHECK: %[[TO]] = phi i32 [ 1, %entry ], [ %[[FROM]], %{{.*}} ]
; CHECK: load i32, ptr addrspace(1) %a
; CHECK: load i32, ptr addrspace(1) %b
; CHECK: store i32 %{{.*}}, ptr addrspace(1) %b
; CHECK: store i32 %{{.*}}, ptr addrspace(1) %a
define spir_kernel void @exchanged(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %n) {
entry:
  br label %loop
loop:
  %from = phi ptr addrspace(1) [ %a, %entry ], [ %to, %loop ]
  %to = phi ptr addrspace(1) [ %b, %entry ], [ %from, %loop ]
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %value = load i32, ptr addrspace(1) %from, align 4
  store i32 %value, ptr addrspace(1) %to, align 4
  %next = add i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %end, label %loop
end:
  ret void
}

; One of three, by selects.
; CHECK-LABEL: @selected
; CHECK: store i32 7, ptr addrspace(1) %a
; CHECK: store i32 7, ptr addrspace(1) %b
; CHECK: store i32 7, ptr addrspace(1) %c
; CHECK-NOT: store
; CHECK: ret void
define spir_kernel void @selected(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i1 %x, i1 %y) {
  %one = select i1 %x, ptr addrspace(1) %b, ptr addrspace(1) %c
  %two = select i1 %y, ptr addrspace(1) %a, ptr addrspace(1) %one
  store i32 7, ptr addrspace(1) %two, align 4
  ret void
}

; One object through two phis, an unknown pointer, an atomic, and an access of the checker stay.
; CHECK-LABEL: @unchanged
; CHECK-NOT: br
; CHECK: ret void
define spir_kernel void @unchanged(ptr addrspace(1) %a, ptr addrspace(1) %b, i1 %x) {
  %same = select i1 %x, ptr addrspace(1) %a, ptr addrspace(1) %a
  store i32 1, ptr addrspace(1) %same, align 4
  %pointer = load ptr addrspace(1), ptr addrspace(1) %a, align 8
  %unknown = select i1 %x, ptr addrspace(1) %pointer, ptr addrspace(1) %b
  store i32 2, ptr addrspace(1) %unknown, align 4
  %either = select i1 %x, ptr addrspace(1) %a, ptr addrspace(1) %b
  store atomic i32 3, ptr addrspace(1) %either monotonic, align 4
  store i32 4, ptr addrspace(1) %either, align 4, !nosanitize !0
  ret void
}

!0 = !{}
