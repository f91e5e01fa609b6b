; RUN: lockstep-opt -passes=lower-undefined -defined-arguments=13 %s | FileCheck %s
; Arguments 0, 2 and 3 are of memory of which all bytes are defined, and stay so if the kernel only reads there.

@site = internal global i32 0

; CHECK-LABEL: define spir_kernel void @read
; CHECK-NOT: check_extent(i32 2, i32 0)
; CHECK: call i64 @__lockstep_check_extent(i32 2, i32 1)
; CHECK-NOT: check_extent
; CHECK: call void @use(i32 0)
; CHECK: call void @use(i32 %{{.*}})
define spir_kernel void @read(ptr addrspace(1) %from, ptr addrspace(1) %other, i64 %i) {
  %place = getelementptr i32, ptr addrspace(1) %from, i64 %i
  %value = load i32, ptr addrspace(1) %place
  %bits = call i32 @__lockstep_undefined_load.i32.p1(ptr addrspace(1) align 4 %place)
  call void @use(i32 %bits)
  %others = call i32 @__lockstep_undefined_load.i32.p1(ptr addrspace(1) align 4 %other)
  call void @use(i32 %others)
  ret void
}

; CHECK-LABEL: define spir_kernel void @written
; CHECK: call i64 @__lockstep_check_extent(i32 2, i32 0)
; CHECK: call void @use(i32 %{{.*}})
define spir_kernel void @written(ptr addrspace(1) %both, i64 %i) {
  %place = getelementptr i32, ptr addrspace(1) %both, i64 %i
  %bits = call i32 @__lockstep_undefined_load.i32.p1(ptr addrspace(1) align 4 %place)
  call void @use(i32 %bits)
  store i32 1, ptr addrspace(1) %both
  ret void
}

; Where it goes, nobody knows.
; CHECK-LABEL: define spir_kernel void @given_away
; CHECK: call i64 @__lockstep_check_extent(i32 2, i32 0)
define spir_kernel void @given_away(ptr addrspace(1) %both, ptr addrspace(1) %to) {
  store ptr addrspace(1) %both, ptr addrspace(1) %to
  %bits = call i32 @__lockstep_undefined_load.i32.p1(ptr addrspace(1) align 4 %both)
  call void @use(i32 %bits)
  ret void
}

; CHECK-LABEL: define spir_kernel void @image
; CHECK-NOT: check_object
; CHECK: call void @use_byte(i8 0)
define spir_kernel void @image(ptr addrspace(2) %image, i64 %x) {
  %memory = load ptr addrspace(1), ptr addrspace(2) %image, align 8, !invariant.load !0
  %texel = getelementptr i8, ptr addrspace(1) %memory, i64 %x
  %bits = call i8 @__lockstep_undefined_load.i8.p1(ptr addrspace(1) align 1 %texel)
  call void @use_byte(i8 %bits)
  ret void
}

declare i32 @__lockstep_undefined_load.i32.p1(ptr addrspace(1))
declare i8 @__lockstep_undefined_load.i8.p1(ptr addrspace(1))
declare void @use(i32)
declare void @use_byte(i8)
!0 = !{}
