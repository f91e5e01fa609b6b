; RUN: env LOCKSTEP_CHECK=commands lockstep-opt -passes=instrument-accesses --failed-assumptions=0x7fffffffffffffff %s | FileCheck %s
; RUN: env LOCKSTEP_CHECK=races,commands lockstep-opt -passes=instrument-accesses --failed-assumptions=0x7fffffffffffffff %s | FileCheck %s --check-prefix=BOTH
; Where commands are looked at, what accesses touch by an argument is marked, whether or not they meet another of their launch: a byte
; for each word, in a plane that the launch gives, if it gives one; local memory is not. What is not touched by an argument is told of
; (SameValue::has_no_conflict, 5). A plane's number follows from its argument, so that all codes of a launch mean the same one.

@tile = internal addrspace(3) global [64 x i32] undef

; CHECK-LABEL: define spir_kernel void @own_word
; CHECK-DAG: [[FROM:%[0-9]+]] = call i64 @__lockstep_check_footprint(i32 0, i32 0, i32 4, ptr addrspace(4) {{.*}})
; CHECK-DAG: [[TO:%[0-9]+]] = call i64 @__lockstep_check_footprint(i32 10, i32 1, i32 4, ptr addrspace(4) {{.*}})
; CHECK: [[IS:%[0-9]+]] = icmp ne i64 [[FROM]], 0
; CHECK: br i1 [[IS]]
; CHECK: [[PLACE:%[0-9]+]] = add i64 [[FROM]], %other
; CHECK: [[MARK:%[0-9]+]] = inttoptr i64 [[PLACE]] to ptr addrspace(1)
; CHECK: store i8 1, ptr addrspace(1) [[MARK]], align 1
; CHECK: %a = load i32
; CHECK: icmp ne i64 [[TO]], 0
; CHECK: store i8 1,
; CHECK: store i32 %a, ptr addrspace(1)
; CHECK-NOT: store i8
; CHECK-NOT: check_access(
; CHECK: ret void
define spir_kernel void @own_word(ptr addrspace(1) %from, ptr addrspace(1) %to) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %first = shl i64 %group, 6
  %i = or disjoint i64 %first, %item
  %other = xor i64 %i, 5
  %p = getelementptr i32, ptr addrspace(1) %from, i64 %other
  %q = getelementptr i32, ptr addrspace(1) %to, i64 %i
  %t = getelementptr i32, ptr addrspace(3) @tile, i64 %item
  %a = load i32, ptr addrspace(1) %p, !invariant.load !0
  store i32 %a, ptr addrspace(1) %q
  store i32 %a, ptr addrspace(3) %t
  ret void
}

; Bytes, and sums that are no words: a byte for each byte, at a distance from it. A vector of three has three words.
; CHECK-LABEL: define spir_kernel void @parts
; CHECK: [[BYTES:%[0-9]+]] = call i64 @__lockstep_check_footprint(i32 1, i32 0, i32 1,
; CHECK: [[HERE:%[0-9]+]] = ptrtoint ptr addrspace(1) %p to i64
; CHECK: add i64 [[BYTES]], [[HERE]]
; CHECK: store i16 257,
; CHECK: load i16
; CHECK: store i16 257,
; CHECK: store i8 1,
; CHECK: store <3 x i32>
define spir_kernel void @parts(ptr addrspace(1) %from, ptr addrspace(1) %to, i64 %i) "lockstep-local-size"="64,1,1" {
  %p = getelementptr i16, ptr addrspace(1) %from, i64 %i
  %a = load i16, ptr addrspace(1) %p
  %q = getelementptr <3 x i32>, ptr addrspace(1) %to, i64 %i
  %v = insertelement <3 x i32> zeroinitializer, i32 7, i32 0
  store <3 x i32> %v, ptr addrspace(1) %q
  ret void
}

; An image's texels are by what its descriptor says; another pointer in memory is an address from anywhere.
; CHECK-LABEL: define spir_kernel void @texel
; CHECK: [[BEGIN:%[0-9]+]] = load ptr addrspace(1), ptr addrspace(2) %image{{.*}}!invariant.load
; CHECK: addrspacecast ptr addrspace(1) [[BEGIN]] to ptr addrspace(4)
; CHECK: call i64 @__lockstep_check_footprint(i32 2, i32 1, i32 4,
; CHECK: store i8 1,
; CHECK: store i32 1, ptr addrspace(1) %p
; CHECK: [[OTHER:%[0-9]+]] = addrspacecast ptr addrspace(1) %other to ptr addrspace(4)
; CHECK: call void @__lockstep_check_access(ptr addrspace(4) [[OTHER]], i64 0, i64 1, ptr @check.site
; CHECK: store i32 2, ptr addrspace(1) %other
define spir_kernel void @texel(ptr addrspace(2) dereferenceable(48) %image, ptr addrspace(1) %pointers, i64 %i) {
  %begin = load ptr addrspace(1), ptr addrspace(2) %image, !invariant.load !0
  %p = getelementptr i32, ptr addrspace(1) %begin, i64 %i
  store i32 1, ptr addrspace(1) %p
  %other = load ptr addrspace(1), ptr addrspace(1) %pointers
  store i32 2, ptr addrspace(1) %other
  ret void
}

; A group copy from an index that the kernel reads has as many marks as its row has words. A copy of each third word is reported.
; CHECK-LABEL: define spir_kernel void @copies
; CHECK: [[COPIED:%[0-9]+]] = call i64 @__lockstep_check_footprint(i32 0, i32 0, i32 4,
; CHECK: call void @__lockstep_check_copy(
; CHECK: [[FIRST:%[0-9]+]] = add i64 [[COPIED]], %i
; CHECK: [[ROW:%[0-9]+]] = inttoptr i64 [[FIRST]] to ptr addrspace(1)
; CHECK: [[MANY:%[0-9]+]] = mul i64 %n, 2
; CHECK: call void @llvm.memset{{.*}}(ptr addrspace(1) align 1 [[ROW]], i8 1, i64 [[MANY]], i1 false)
; CHECK: call void @__lockstep_group_copy(
; CHECK: call void @__lockstep_check_copy(
; CHECK-NOT: memset
; CHECK: call void @__lockstep_group_copy(
; CHECK: ret void
define spir_kernel void @copies(ptr addrspace(1) %from, ptr addrspace(1) %index, i64 %n) "lockstep-local-size"="64,1,1" {
  %i = load i64, ptr addrspace(1) %index
  %p = getelementptr i32, ptr addrspace(1) %from, i64 %i
  call void @__lockstep_group_copy(ptr addrspace(3) @tile, ptr addrspace(1) %p, i64 %n, i64 1, i64 1, i64 8)
  call void @__lockstep_group_copy(ptr addrspace(3) @tile, ptr addrspace(1) %p, i64 %n, i64 1, i64 3, i64 4)
  ret void
}

; What is compared besides says that it is marked: the field behind `synchronizes`.
; BOTH: [[SITE:@check.site.16]] = internal global { {{.*}} } { {{.*}}, i32 2, i32 0, i32 1, i32 0, i32 0, i32 0, i32 0, i32 0, ptr @check.text
; BOTH-LABEL: define spir_kernel void @one_word
; BOTH: call i64 @__lockstep_check_footprint(i32 2, i32 1, i32 4,
; BOTH: call void @__lockstep_check_access({{.*}}, ptr [[SITE]],
; BOTH: store i8 1,
; BOTH: store i32 %i,
define spir_kernel void @one_word(ptr addrspace(1) %to, i32 %i) "lockstep-local-size"="64,1,1" {
  store i32 %i, ptr addrspace(1) %to
  ret void
}

; An atomic that orders other accesses is marked as one, if it is not marked yet, and stays as it is: no work-items are compared.
; CHECK-LABEL: define spir_kernel void @counter
; CHECK-NOT: __lockstep_check_atomic
; CHECK-NOT: __lockstep_check_fence
; CHECK: call i64 @__lockstep_check_footprint(i32 6, i32 3, i32 4,
; CHECK: load i8,
; CHECK: br i1
; CHECK: store i8 1,
; CHECK: atomicrmw add ptr addrspace(1) %p, i32 1 acq_rel
; CHECK: fence seq_cst
; CHECK: ret void
; BOTH-LABEL: define spir_kernel void @counter
; BOTH: call i64 @__lockstep_check_atomic(
define spir_kernel void @counter(ptr addrspace(1) %counts, ptr addrspace(1) %index) "lockstep-local-size"="64,1,1" {
  %i = load i64, ptr addrspace(1) %index
  %p = getelementptr i32, ptr addrspace(1) %counts, i64 %i
  store i32 0, ptr addrspace(1) %index
  %was = atomicrmw add ptr addrspace(1) %p, i32 1 acq_rel, align 4
  fence seq_cst
  ret void
}

declare void @__lockstep_group_copy(ptr addrspace(3), ptr addrspace(1), i64, i64, i64, i64)
declare i64 @__lockstep_local_id(i32)
declare i64 @__lockstep_group_id(i32)
!0 = !{}
