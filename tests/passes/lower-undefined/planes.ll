; RUN: lockstep-opt -passes=lower-undefined %s | FileCheck %s
; Where it is written down what is undefined: beside buffers that have such a plane, and beside local memory always.

@tile = internal addrspace(3) global [64 x i32] undef
@lockstep.group.scratch = internal addrspace(3) global [16 x i64] undef
@site = internal global i32 0

; CHECK-LABEL: define spir_kernel void @global
; CHECK: %[[DISTANCE:.*]] = call i64 @__lockstep_check_extent(i32 2, i32 0)
; CHECK: %[[HAS:.*]] = icmp ne i64 %[[DISTANCE]], 0
; CHECK: br i1 %[[HAS]], label %[[WITH:.*]], label %[[OTHER:.*]]
; CHECK: [[WITH]]:
; CHECK: %[[PLANE:.*]] = getelementptr i8, ptr addrspace(1) %from, i64 %[[DISTANCE]]
; CHECK: %[[DEFINED:.*]] = load i32, ptr addrspace(1) %[[PLANE]], align 4, !nosanitize
; CHECK: [[OTHER]]:
; CHECK: %[[JOINED:.*]] = phi i32 [ %{{.*}}, %{{.*}} ], [ -1, %0 ]
; CHECK: %[[BITS:.*]] = xor i32 %[[JOINED]], -1
; CHECK: call void @use(i32 %[[BITS]])
define spir_kernel void @global(ptr addrspace(1) %from) {
  %bits = call i32 @__lockstep_undefined_load.i32.p1(ptr addrspace(1) align 4 %from)
  call void @use(i32 %bits)
  ret void
}

; In local memory a second plane says what was computed; nothing is told of a store.
; CHECK-LABEL: define spir_kernel void @local
; CHECK-DAG: %[[BITS:.*]] = call i64 @__lockstep_check_extent(i32 2, i32 -1)
; CHECK-DAG: %[[COMPUTED:.*]] = call i64 @__lockstep_check_extent(i32 3, i32 -1)
; CHECK-NOT: check_choice
; CHECK: %[[OPEN:.*]] = xor i32 %a, -1
; CHECK: add i64 ptrtoint (ptr addrspace(3) @tile to i64), %[[BITS]]
; CHECK: store i32 %[[OPEN]], {{.*}}, !nosanitize
; CHECK: %[[BYTES:.*]] = select i1 %computed, i32 16843009, i32 0
; CHECK: add i64 ptrtoint (ptr addrspace(3) @tile to i64), %[[COMPUTED]]
; CHECK: store i32 %[[BYTES]], {{.*}}, !nosanitize
define spir_kernel void @local(i32 %a, i1 %computed) {
  call void @__lockstep_undefined_store.i32.p3(ptr addrspace(3) align 4 @tile, i32 %a, i1 %computed, ptr @site)
  ret void
}

; What was computed and goes to global memory is told.
; CHECK-LABEL: define spir_kernel void @stored
; CHECK: br i1 %{{.*}}, label %[[TOLD:.*]], label %{{.*}}, !prof
; CHECK: [[TOLD]]:
; CHECK: call void @__lockstep_check_choice(i64 -1, i64 1, ptr @site, i64 %{{.*}}, i64 0)
; CHECK: store i32 %{{.*}}, ptr addrspace(1) %{{.*}}, align 4, !nosanitize
define spir_kernel void @stored(ptr addrspace(1) %to, i32 %a, i1 %computed) {
  call void @__lockstep_undefined_store.i32.p1(ptr addrspace(1) align 4 %to, i32 %a, i1 %computed, ptr @site)
  ret void
}

; Of constant memory all is defined, and what is left of a check then goes.
; CHECK-LABEL: define spir_kernel void @constant
; CHECK-NOT: check_
; CHECK: ret void
define spir_kernel void @constant(ptr addrspace(2) %from) {
  %bits = call i32 @__lockstep_undefined_load.i32.p2(ptr addrspace(2) align 4 %from)
  %any = icmp ne i32 %bits, 0
  %all = sext i1 %any to i64
  call void @__lockstep_check_choice(i64 %all, i64 1, ptr @site, i64 0, i64 0)
  ret void
}

; Collectives lay down in their own memory what only they know.
; CHECK-LABEL: define spir_kernel void @of_collectives
; CHECK-NOT: check_
; CHECK: call void @use(i32 0)
define spir_kernel void @of_collectives() {
  %bits = call i32 @__lockstep_undefined_load.i32.p3(ptr addrspace(3) align 4 @lockstep.group.scratch)
  call void @use(i32 %bits)
  ret void
}

; A check is only come to where something is undefined.
; CHECK-LABEL: define spir_kernel void @checked
; CHECK: %[[IS:.*]] = icmp ne i64 %bits, 0
; CHECK: br i1 %[[IS]], label %[[TOLD:.*]], label
; CHECK: [[TOLD]]:
; CHECK-NEXT: call void @__lockstep_check_choice(i64 %bits,
define spir_kernel void @checked(i64 %bits) {
  call void @__lockstep_check_choice(i64 %bits, i64 1, ptr @site, i64 0, i64 0)
  ret void
}

; An update of 0 reads: nothing comes of it. Others need what is there.
; CHECK-LABEL: define spir_kernel void @updates
; CHECK: store i32 -1, ptr addrspace(1)
; CHECK-NOT: store
; CHECK: ret void
define spir_kernel void @updates(ptr addrspace(1) %to) {
  call void @__lockstep_undefined_update.i32.p1(ptr addrspace(1) %to, i32 1, i32 0, ptr @site)
  call void @__lockstep_undefined_update.i32.p1(ptr addrspace(1) %to, i32 0, i32 0, ptr @site)
  ret void
}

; A copy of a group takes what is known along; from memory without a plane comes what is defined. Nothing of it was computed.
; CHECK-LABEL: define spir_kernel void @copies
; CHECK: %[[FROM:.*]] = call i64 @__lockstep_check_extent(i32 2, i32 0)
; CHECK: %[[HAS:.*]] = icmp ne i64 %[[FROM]], 0
; CHECK: select i1 %[[HAS]], ptr addrspace(4) %{{.*}}, ptr addrspace(4) {{.*}}@check.plane
; CHECK: %[[STRIDE:.*]] = select i1 %[[HAS]], i64 1, i64 0
; CHECK: call void @__lockstep_group_copy(ptr addrspace(4) %{{.*}}, ptr addrspace(4) %{{.*}}, i64 64, i64 1, i64 %[[STRIDE]], i64 4) {{.*}}, !nosanitize
; CHECK: call void @__lockstep_group_copy(ptr addrspace(4) %{{.*}}, ptr addrspace(4) {{.*}}@check.plane.1 {{.*}}, i64 64, i64 1, i64 0, i64 4) {{.*}}, !nosanitize
define spir_kernel void @copies(ptr addrspace(1) %from) {
  %source = addrspacecast ptr addrspace(1) %from to ptr addrspace(4)
  %to = addrspacecast ptr addrspace(3) @tile to ptr addrspace(4)
  call void @__lockstep_undefined_copy.elements(ptr addrspace(4) %to, ptr addrspace(4) %source, i64 64, i64 1, i64 1, i64 4)
  ret void
}

declare i32 @__lockstep_undefined_load.i32.p1(ptr addrspace(1))
declare i32 @__lockstep_undefined_load.i32.p3(ptr addrspace(3))
declare i32 @__lockstep_undefined_load.i32.p2(ptr addrspace(2))
declare void @__lockstep_undefined_store.i32.p1(ptr addrspace(1), i32, i1, ptr)
declare void @__lockstep_undefined_store.i32.p3(ptr addrspace(3), i32, i1, ptr)
declare void @__lockstep_undefined_update.i32.p1(ptr addrspace(1), i32, i32, ptr)
declare void @__lockstep_undefined_copy.elements(ptr addrspace(4), ptr addrspace(4), i64, i64, i64, i64)
declare void @__lockstep_check_choice(i64, i64, ptr, i64, i64)
declare void @use(i32)

; A member of an argument, as function objects of SYCL have them, is asked about at the beginning, wherever it is loaded.
; CHECK-LABEL: define spir_kernel void @member
; CHECK: %[[PLACE:.*]] = getelementptr i8, ptr %object, i64 8
; CHECK: %[[MEMBER:.*]] = load ptr addrspace(1), ptr %[[PLACE]]
; CHECK: %[[GENERIC:.*]] = addrspacecast ptr addrspace(1) %[[MEMBER]] to ptr addrspace(4)
; CHECK: call i64 @__lockstep_check_object(i32 2, ptr addrspace(4) %[[GENERIC]])
; CHECK: loop:
; CHECK-NOT: check_object
; CHECK: ret void
define spir_kernel void @member(ptr %object, i1 %goes.on) {
  br label %loop
loop:
  %place = getelementptr i8, ptr %object, i64 8
  %from = load ptr addrspace(1), ptr %place, align 8
  %bits = call i32 @__lockstep_undefined_load.i32.p1(ptr addrspace(1) align 4 %from)
  call void @use(i32 %bits)
  br i1 %goes.on, label %loop, label %end
end:
  ret void
}

; Where an image lies is asked once, at the beginning, for all ways that lead to a texel; null has no texel, nor its bytes.
; CHECK-LABEL: define spir_kernel void @image
; CHECK: %[[MEMORY:.*]] = load ptr addrspace(1), ptr addrspace(2) %image, align 8, !invariant.load
; CHECK: %[[GENERIC:.*]] = addrspacecast ptr addrspace(1) %[[MEMORY]] to ptr addrspace(4)
; CHECK: %[[PLANE:.*]] = call i64 @__lockstep_check_object(i32 2, ptr addrspace(4) %[[GENERIC]])
; CHECK: br i1 %is.inside
; CHECK: join:
; CHECK: %[[NUMBER:.*]] = ptrtoint ptr addrspace(1) %byte to i64
; CHECK: %[[NONE:.*]] = icmp ult i64 %[[NUMBER]], 4096
; CHECK: %[[DISTANCE:.*]] = select i1 %[[NONE]], i64 0, i64 %[[PLANE]]
; CHECK: getelementptr i8, ptr addrspace(1) %byte, i64 %[[DISTANCE]]
; CHECK-NOT: check_object
; CHECK: ret void
define spir_kernel void @image(ptr addrspace(2) %image, i1 %is.inside, i64 %x) {
  br i1 %is.inside, label %inside, label %join
inside:
  %memory = load ptr addrspace(1), ptr addrspace(2) %image, align 8, !invariant.load !0
  %place = getelementptr i8, ptr addrspace(1) %memory, i64 %x
  br label %join
join:
  %texel = phi ptr addrspace(1) [ null, %0 ], [ %place, %inside ]
  %byte = getelementptr i8, ptr addrspace(1) %texel, i64 1
  call void @__lockstep_undefined_store.i8.p1(ptr addrspace(1) align 1 %byte, i8 0, i1 false, ptr @site)
  ret void
}
declare void @__lockstep_undefined_store.i8.p1(ptr addrspace(1), i8, i1, ptr)
!0 = !{}
