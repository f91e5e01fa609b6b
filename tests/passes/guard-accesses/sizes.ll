; RUN: lockstep-opt -passes=guard-accesses --failed-assumptions=0xffffffffffffffff %s | FileCheck %s
; An access is made where its offset is below what the object has, else the checker is told of it.

@tile = internal addrspace(3) global [64 x i32] undef

; The launch knows the size of an argument's memory. A load that is not made gives 0.
; CHECK-LABEL: define spir_kernel void @one
; CHECK: %[[LEAD:.*]] = call i64 @__lockstep_check_extent(i32 0, i32 0)
; CHECK: %[[OFFSET:.*]] = add i64 %[[LEAD]], %{{.*}}
; CHECK: %[[SIZE:.*]] = call i64 @__lockstep_check_extent(i32 1, i32 0)
; CHECK: %[[LIMIT:.*]] = call i64 @llvm.usub.sat.i64(i64 %[[SIZE]], i64 3)
; CHECK: %[[WITHIN:.*]] = icmp ult i64 %[[OFFSET]], %[[LIMIT]]
; CHECK: br i1 %[[WITHIN]], label %[[MADE:.*]], label %[[REFUSED:.*]], !prof
; CHECK: [[MADE]]:
; CHECK: load i32, ptr addrspace(1) %p
; CHECK: [[REFUSED]]:
; CHECK: call void @__lockstep_check_outside(ptr addrspace(4) %{{.*}}, i64 0, i64 1, ptr @check.site{{.*}}, i64 %{{.*}}, i64 0)
; CHECK: phi i32 [ %{{.*}}, %[[MADE]] ], [ 0, %[[REFUSED]] ]
define spir_kernel void @one(ptr addrspace(1) %from, i64 %i) {
  %p = getelementptr inbounds i32, ptr addrspace(1) %from, i64 %i
  %a = load i32, ptr addrspace(1) %p
  call void @use(i32 %a)
  ret void
}

; A variable's size is known, and so is what the comparison would give: the local size is in the range of the id.
; CHECK-LABEL: define spir_kernel void @tile_in_range
; CHECK-NOT: br i1
; CHECK: ret void
define spir_kernel void @tile_in_range() {
  %item = call range(i64 0, 64) i64 @__lockstep_local_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(3) @tile, i64 %item
  store i32 1, ptr addrspace(3) %p
  ret void
}

; CHECK-LABEL: define spir_kernel void @tile_beyond
; CHECK: icmp ult i64 %{{.*}}, 253
; CHECK: br i1
; CHECK: call void @__lockstep_check_outside({{.*}}, i64 256)
define spir_kernel void @tile_beyond() {
  %item = call range(i64 0, 65) i64 @__lockstep_local_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(3) @tile, i64 %item
  store i32 1, ptr addrspace(3) %p
  ret void
}

; A pointer that is found in memory: what lies where it points is asked for.
; CHECK-LABEL: define spir_kernel void @found
; CHECK: call i64 @__lockstep_check_object(i32 0, ptr addrspace(4) %{{.*}})
; CHECK: call i64 @__lockstep_check_object(i32 1, ptr addrspace(4) %{{.*}})
; CHECK: call void @__lockstep_check_outside(
define spir_kernel void @found(ptr addrspace(1) %list) {
  %there = load ptr addrspace(1), ptr addrspace(1) %list
  %p = getelementptr i8, ptr addrspace(1) %there, i64 8
  store i32 1, ptr addrspace(1) %p
  ret void
}

; A loop that waits for a swap must end.
; CHECK-LABEL: define i1 @swap
; CHECK: phi { i32, i1 } [ %{{.*}}, %{{.*}} ], [ { i32 5, i1 true }, %{{.*}} ]
define i1 @swap(ptr addrspace(1) %to) {
  %both = cmpxchg ptr addrspace(1) %to, i32 5, i32 6 monotonic monotonic
  %done = extractvalue { i32, i1 } %both, 1
  ret i1 %done
}

; A product that is made atomically is an access like others, and no copy.
; CHECK-LABEL: define void @product
; CHECK: br i1 %{{.*}}, label %[[MADE:.*]], label %
; CHECK: [[MADE]]:
; CHECK-NEXT: call void @__lockstep_atomic_multiply_i32(ptr addrspace(1) %to, i32 %x, i32 2)
; CHECK: call void @__lockstep_check_outside(
define void @product(ptr addrspace(1) %to, i32 %x) {
  call void @__lockstep_atomic_multiply_i32(ptr addrspace(1) %to, i32 %x, i32 2)
  ret void
}

; Every work-item gets to a group copy. It copies nothing if one of both sides is too small.
; CHECK-LABEL: define spir_kernel void @copy
; CHECK: %[[SOME:.*]] = select i1 %{{.*}}, i64 %n, i64 0
; CHECK: call void @__lockstep_check_outside(
; CHECK: %[[LESS:.*]] = select i1 %{{.*}}, i64 %[[SOME]], i64 0
; CHECK: call void @__lockstep_check_outside(
; CHECK: call void @__lockstep_group_copy({{.*}}, i64 %[[LESS]], i64 1, i64 1, i64 4)
define spir_kernel void @copy(ptr addrspace(3) %to, ptr addrspace(1) %from, i64 %n) {
  %t = addrspacecast ptr addrspace(3) %to to ptr addrspace(4)
  %f = addrspacecast ptr addrspace(1) %from to ptr addrspace(4)
  call void @__lockstep_group_copy(ptr addrspace(4) %t, ptr addrspace(4) %f, i64 %n, i64 1, i64 1, i64 4)
  ret void
}

; Private variables have a pass of their own.
; CHECK-LABEL: define spir_kernel void @private
; CHECK-NOT: check_
; CHECK: ret void
define spir_kernel void @private(i64 %i) {
  %own = alloca [8 x i32]
  %p = getelementptr inbounds i32, ptr %own, i64 %i
  store i32 1, ptr %p
  ret void
}

declare void @use(i32)
declare void @__lockstep_atomic_multiply_i32(ptr addrspace(1), i32, i32)
declare i64 @__lockstep_local_id(i32)
declare void @__lockstep_group_copy(ptr addrspace(4), ptr addrspace(4), i64, i64, i64, i64)
