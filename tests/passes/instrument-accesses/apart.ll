; RUN: lockstep-opt -passes=instrument-accesses %s | FileCheck %s
; What cannot meet another access has no check; what the launch must be for that is in the module's metadata.

@tile = internal addrspace(3) global [64 x i32] undef

; Each work-item has a word of its own in %to, and nobody writes %from.
; CHECK-LABEL: define spir_kernel void @own_word
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @own_word(ptr addrspace(1) %from, ptr addrspace(1) %to) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %first = shl i64 %group, 6
  %i = or disjoint i64 %first, %item
  %other = xor i64 %i, 5
  %p = getelementptr i32, ptr addrspace(1) %from, i64 %other
  %q = getelementptr i32, ptr addrspace(1) %to, i64 %i
  %a = load i32, ptr addrspace(1) %p
  store i32 %a, ptr addrspace(1) %q
  ret void
}

; The mirror reads what others write.
; CHECK-LABEL: define spir_kernel void @mirror
; CHECK: call void @__lockstep_check_access(
; CHECK: store i32 1, ptr addrspace(3)
; CHECK: call void @__lockstep_check_access(
; CHECK: load i32, ptr addrspace(3)
define spir_kernel void @mirror() "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %last = sub i64 63, %item
  %p = getelementptr i32, ptr addrspace(3) @tile, i64 %item
  %q = getelementptr i32, ptr addrspace(3) @tile, i64 %last
  store i32 1, ptr addrspace(3) %p
  %a = load i32, ptr addrspace(3) %q
  ret void
}

; With a barrier for local memory between, nobody meets.
; CHECK-LABEL: define spir_kernel void @mirror_in_turns
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @mirror_in_turns() "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %last = sub i64 63, %item
  %p = getelementptr i32, ptr addrspace(3) @tile, i64 %item
  %q = getelementptr i32, ptr addrspace(3) @tile, i64 %last
  store i32 1, ptr addrspace(3) %p
  call void @__lockstep_barrier(i32 1)
  %a = load i32, ptr addrspace(3) %q
  ret void
}

; Each work-item has a column of its own, whatever row it is in.
; CHECK-LABEL: define spir_kernel void @columns
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @columns(i32 %from, i32 %to) "lockstep-local-size"="8,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %row = zext i32 %from to i64
  %first = shl i64 %row, 3
  %i = or disjoint i64 %first, %item
  %p = getelementptr i32, ptr addrspace(3) @tile, i64 %i
  %x = trunc i64 %item to i32
  %start = mul i32 %to, 8
  %j = add i32 %start, %x
  %k = zext i32 %j to i64
  %q = getelementptr i32, ptr addrspace(3) @tile, i64 %k
  store i32 1, ptr addrspace(3) %p
  %a = load i32, ptr addrspace(3) %q
  ret void
}

; In rounds, each time as many further as there are work-items.
; CHECK-LABEL: define spir_kernel void @rounds
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @rounds(i64 %n) "lockstep-local-size"="8,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  br label %loop
loop:
  %i = phi i64 [ %item, %0 ], [ %next, %loop ]
  %p = getelementptr i32, ptr addrspace(3) @tile, i64 %i
  store i32 1, ptr addrspace(3) %p
  %next = add i64 %i, 8
  %goes_on = icmp ult i64 %next, %n
  br i1 %goes_on, label %loop, label %end
end:
  ret void
}

; As LLVM widens a number of 32 bits.
; CHECK-LABEL: define spir_kernel void @masked_rounds
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @masked_rounds(i64 %n) "lockstep-local-size"="8,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  br label %loop
loop:
  %i = phi i64 [ %item, %0 ], [ %next, %loop ]
  %low = and i64 %i, 4294967295
  %p = getelementptr i32, ptr addrspace(3) @tile, i64 %low
  store i32 1, ptr addrspace(3) %p
  %next = add i64 %low, 8
  %goes_on = icmp ult i64 %next, %n
  br i1 %goes_on, label %loop, label %end
end:
  ret void
}

; By a mask that is shorter than a round.
; CHECK-LABEL: define spir_kernel void @short_mask
; CHECK: call void @__lockstep_check_access(
define spir_kernel void @short_mask(i64 %n) "lockstep-local-size"="8,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %any = add i64 %item, %n
  %low = and i64 %any, 3
  %p = getelementptr i32, ptr addrspace(3) @tile, i64 %low
  store i32 1, ptr addrspace(3) %p
  ret void
}

; Fewer: the next one's.
; CHECK-LABEL: define spir_kernel void @short_rounds
; CHECK: call void @__lockstep_check_access(
define spir_kernel void @short_rounds(i64 %n) "lockstep-local-size"="8,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  br label %loop
loop:
  %i = phi i64 [ %item, %0 ], [ %next, %loop ]
  %p = getelementptr i32, ptr addrspace(3) @tile, i64 %i
  store i32 1, ptr addrspace(3) %p
  %next = add i64 %i, 7
  %goes_on = icmp ult i64 %next, %n
  br i1 %goes_on, label %loop, label %end
end:
  ret void
}

; Rows that are shorter than the group.
; CHECK-LABEL: define spir_kernel void @short_columns
; CHECK: call void @__lockstep_check_access(
; CHECK: call void @__lockstep_check_access(
define spir_kernel void @short_columns(i64 %from, i64 %to) "lockstep-local-size"="8,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %first = shl i64 %from, 2
  %i = add i64 %first, %item
  %p = getelementptr i32, ptr addrspace(3) @tile, i64 %i
  %start = shl i64 %to, 3
  %j = add i64 %start, %item
  %q = getelementptr i32, ptr addrspace(3) @tile, i64 %j
  store i32 1, ptr addrspace(3) %p
  %a = load i32, ptr addrspace(3) %q
  ret void
}

; A row of twelve bytes and columns of four: but a sum of 32 bits may wrap, and twelve does not divide that.
; CHECK-LABEL: define spir_kernel void @columns_of_a_sum_that_wraps
; CHECK: call void @__lockstep_check_access(
; CHECK: call void @__lockstep_check_access(
define spir_kernel void @columns_of_a_sum_that_wraps(i32 %from, i32 %to) "lockstep-local-size"="3,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %x = trunc i64 %item to i32
  %first = mul nuw i32 %from, 3
  %i = add i32 %first, %x
  %index = zext i32 %i to i64
  %p = getelementptr i32, ptr addrspace(3) @tile, i64 %index
  %start = mul nuw i32 %to, 3
  %j = add i32 %start, %x
  %k = zext i32 %j to i64
  %q = getelementptr i32, ptr addrspace(3) @tile, i64 %k
  store i32 1, ptr addrspace(3) %p
  %a = load i32, ptr addrspace(3) %q
  ret void
}

; A barrier for global memory is none for this.
; CHECK-LABEL: define spir_kernel void @mirror_with_wrong_flag
; CHECK: call void @__lockstep_check_access(
; CHECK: call void @__lockstep_check_access(
define spir_kernel void @mirror_with_wrong_flag() "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %last = sub i64 63, %item
  %p = getelementptr i32, ptr addrspace(3) @tile, i64 %item
  %q = getelementptr i32, ptr addrspace(3) @tile, i64 %last
  store i32 1, ptr addrspace(3) %p
  call void @__lockstep_barrier(i32 2)
  %a = load i32, ptr addrspace(3) %q
  ret void
}

; A round of a tree: those below 32 read what those above have, who are not there.
; CHECK-LABEL: define spir_kernel void @round
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @round() "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(3) @tile, i64 %item
  %q = getelementptr i8, ptr addrspace(3) %p, i64 128
  %is_below = icmp ult i64 %item, 32
  br i1 %is_below, label %add, label %end
add:
  %a = load i32, ptr addrspace(3) %p
  %b = load i32, ptr addrspace(3) %q
  %c = add i32 %a, %b
  store i32 %c, ptr addrspace(3) %p
  br label %end
end:
  ret void
}

; The barrier at the end of a round does not part the last access from the first of the next one.
; CHECK-LABEL: define spir_kernel void @rounds_with_one_barrier
; CHECK: call void @__lockstep_check_access(
; CHECK: call void @__lockstep_check_access(
define spir_kernel void @rounds_with_one_barrier(i32 %n) "lockstep-local-size"="64,1,1" {
entry:
  %item = call i64 @__lockstep_local_id(i32 0)
  %last = sub i64 63, %item
  %p = getelementptr i32, ptr addrspace(3) @tile, i64 %item
  %q = getelementptr i32, ptr addrspace(3) @tile, i64 %last
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  store i32 %i, ptr addrspace(3) %p
  call void @__lockstep_barrier(i32 1)
  %a = load i32, ptr addrspace(3) %q
  %next = add i32 %i, 1
  %go_on = icmp ult i32 %next, %n
  br i1 %go_on, label %loop, label %end
end:
  ret void
}

; Nobody knows what else this address may be of.
; CHECK-LABEL: define spir_kernel void @address_from_memory
; CHECK: call void @__lockstep_check_access({{.*}}
; CHECK: load ptr addrspace(1)
; CHECK: call void @__lockstep_check_access({{.*}}
; CHECK: store i32 1
define spir_kernel void @address_from_memory(ptr addrspace(1) %list) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %p = getelementptr ptr, ptr addrspace(1) %list, i64 %item
  %q = load ptr addrspace(1), ptr addrspace(1) %p
  store i32 1, ptr addrspace(1) %q
  ret void
}

; Atomics that all see each other.
; CHECK-LABEL: define spir_kernel void @histogram
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @histogram(ptr addrspace(1) %bins, i64 %i) {
  %p = getelementptr i32, ptr addrspace(1) %bins, i64 %i
  %a = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic
  ret void
}

; An atomic by a generic address is of the argument that the address is of.
; CHECK-LABEL: define spir_kernel void @counts_beside
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @counts_beside(ptr addrspace(1) %count, ptr addrspace(1) %to) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %p = addrspacecast ptr addrspace(1) %count to ptr addrspace(4)
  %a = atomicrmw add ptr addrspace(4) %p, i32 1 monotonic
  %q = getelementptr i32, ptr addrspace(1) %to, i64 %item
  store i32 %a, ptr addrspace(1) %q
  ret void
}

; CHECK: !lockstep.check.assumptions

declare i64 @__lockstep_local_id(i32)
declare i64 @__lockstep_group_id(i32)
declare void @__lockstep_barrier(i32) convergent nounwind
