; RUN: lockstep-opt -passes=guard-accesses %s | FileCheck %s
; RUN: lockstep-opt -passes=guard-accesses --failed-assumptions=0xffffffffffffffff %s | FileCheck %s --check-prefix=REFUSED
; RUN: lockstep-opt -passes=guard-accesses --failed-assumptions=0x4000000000000000 %s | FileCheck %s --check-prefix=SECOND
; What the launch can tell to be inside of its memory is not compared, unless it refuses that. Each such access has a number, from 63
; down, the same ones whatever is refused.

; CHECK-LABEL: define spir_kernel void @sums
; CHECK-NOT: br i1
; CHECK-NOT: check_outside
; CHECK: ret void
; REFUSED-LABEL: define spir_kernel void @sums
; REFUSED-COUNT-3: call void @__lockstep_check_outside
; REFUSED: ret void
; The second one alone is compared: the one of @tile, of argument 1 here.
; SECOND-LABEL: define spir_kernel void @sums
; SECOND: load i32, ptr addrspace(1) %from
; SECOND: call void @__lockstep_check_outside
; SECOND-NOT: call void @__lockstep_check_outside
; SECOND: ret void
define spir_kernel void @sums(ptr addrspace(1) %a, ptr addrspace(3) %b) {
  %item = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %begin = mul i64 %group, 64
  %i = add i64 %begin, %item
  %from = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %x = load i32, ptr addrspace(1) %from
  %beside = getelementptr i32, ptr addrspace(3) %b, i64 %item
  store i32 %x, ptr addrspace(3) %beside
  %to = getelementptr i8, ptr addrspace(1) %from, i64 4
  store i32 %x, ptr addrspace(1) %to
  ret void
}

; list[n - 1 - i], as InstCombine writes it.
; CHECK-LABEL: define spir_kernel void @backwards
; CHECK-NOT: check_outside
; CHECK: ret void
define spir_kernel void @backwards(ptr addrspace(1) %list, i64 %n) {
  %item = call i64 @__lockstep_local_id(i32 0)
  %not = xor i64 %item, -1
  %i = add i64 %n, %not
  %at = getelementptr i32, ptr addrspace(1) %list, i64 %i
  store i32 1, ptr addrspace(1) %at
  ret void
}

; A number that is found in memory is none that the launch knows, and neither is the size of what a pointer there points to.
; CHECK-LABEL: define spir_kernel void @found
; CHECK-COUNT-2: call void @__lockstep_check_outside
; CHECK: ret void
define spir_kernel void @found(ptr addrspace(1) %a, ptr addrspace(1) %list) {
  %item = call i64 @__lockstep_local_id(i32 0)
  %place = getelementptr i64, ptr addrspace(1) %list, i64 %item
  %n = load i64, ptr addrspace(1) %place
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %n
  store i32 1, ptr addrspace(1) %p
  %first = load ptr addrspace(1), ptr addrspace(1) %list
  %q = getelementptr i32, ptr addrspace(1) %first, i64 %item
  store i32 1, ptr addrspace(1) %q
  ret void
}

; The rounds of a loop that is left at its end are all known; of one that is left when memory says so, nobody knows.
; CHECK-LABEL: define spir_kernel void @rounds
; CHECK-NOT: check_outside
; CHECK: ret void
define spir_kernel void @rounds(ptr addrspace(1) %a, i64 %n) {
  %none = icmp eq i64 %n, 0
  br i1 %none, label %end, label %before
before:
  br label %loop
loop:
  %k = phi i64 [ 0, %before ], [ %next, %loop ]
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %k
  store i32 1, ptr addrspace(1) %p
  %next = add nuw i64 %k, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: define spir_kernel void @found_rounds
; CHECK: call void @__lockstep_check_outside
; CHECK: ret void
define spir_kernel void @found_rounds(ptr addrspace(1) %a, ptr addrspace(1) %list) {
  br label %loop
loop:
  %k = phi i64 [ 0, %0 ], [ %next, %loop ]
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %k
  store i32 1, ptr addrspace(1) %p
  %next = add nuw i64 %k, 1
  %x = load volatile i32, ptr addrspace(1) %list
  %more = icmp ne i32 %x, 0
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK: !lockstep.check.inside = 
declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)
