; RUN: lockstep-opt -passes=track-undefined %s | FileCheck %s
; A texel is defined or not by what is known of the place where it lies, and a write makes all of its bytes one or the other.

; CHECK-LABEL: define spir_kernel void @read
; CHECK: [[PLACE:%.*]] = call ptr addrspace(1) @__lockstep_image_place_read(ptr addrspace(2) %image, i32 7, i32 0, i32 2, i32 %x, i32 0, i32 0, i32 0)
; CHECK: [[BITS:%.*]] = call i8 @__lockstep_undefined_load.i8.p1(ptr addrspace(1) align 1 [[PLACE]])
; CHECK: [[IS:%.*]] = icmp ne i8 [[BITS]], 0
; CHECK: select i1 [[IS]], <4 x i32> splat (i32 -1), <4 x i32> zeroinitializer
define spir_kernel void @read(ptr addrspace(2) %image, ptr addrspace(1) %to, i32 %x) {
  %texel = call <4 x i32> @__lockstep_image_read_i(ptr addrspace(2) %image, i32 7, i32 0, i32 2, i32 %x, i32 0, i32 0, i32 0)
  store <4 x i32> %texel, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: define spir_kernel void @write
; CHECK: [[PLACE:%.*]] = call ptr addrspace(1) @__lockstep_image_place_write(ptr addrspace(2) %image, i32 7, i32 2, i32 %x, i32 0, i32 0, i32 0)
; CHECK: %[[SIZE:.*]] = call i32 @__lockstep_image_texel_bytes(i32 7)
; CHECK: switch i32 %[[SIZE]], label %[[OTHER:.*]] [
; CHECK: i32 4, label %[[FOUR:.*]]
; CHECK: ]
; CHECK: call void @__lockstep_undefined_store.i8.p1(ptr addrspace(1) align 1 %{{.*}}, i8 0, i1 false,
; CHECK: [[FOUR]]:
; CHECK: call void @__lockstep_undefined_store.i32.p1(ptr addrspace(1) align 1 [[PLACE]], i32 0, i1 false,
; CHECK: call void @__lockstep_image_write_i(
define spir_kernel void @write(ptr addrspace(2) %image, <4 x i32> %value, i32 %x) {
  call void @__lockstep_image_write_i(ptr addrspace(2) %image, i32 7, i32 2, i32 %x, i32 0, i32 0, i32 0, <4 x i32> %value)
  ret void
}

; A word is four bytes, whatever the texels are.
; CHECK-LABEL: define spir_kernel void @words
; CHECK: [[PLACE:%.*]] = call ptr addrspace(1) @__lockstep_image_place_word(ptr addrspace(2) %image, i32 7, i32 %x, i32 3)
; CHECK: call i8 @__lockstep_undefined_load.i8.p1(ptr addrspace(1) align 1 [[PLACE]])
; CHECK: call ptr addrspace(1) @__lockstep_image_place_word(ptr addrspace(2) %image, i32 7, i32 %x, i32 4)
; CHECK-NOT: texel_bytes
; CHECK: switch i32 4, label
; CHECK: call void @__lockstep_undefined_store.i32.p1(
define spir_kernel void @words(ptr addrspace(2) %image, i32 %x) {
  %word = call i32 @__lockstep_image_word_read(ptr addrspace(2) %image, i32 7, i32 %x, i32 3)
  call void @__lockstep_image_word_write(ptr addrspace(2) %image, i32 7, i32 %x, i32 4, i32 %word)
  ret void
}

declare i32 @__lockstep_image_word_read(ptr addrspace(2), i32, i32, i32)
declare void @__lockstep_image_word_write(ptr addrspace(2), i32, i32, i32, i32)
declare <4 x i32> @__lockstep_image_read_i(ptr addrspace(2), i32, i32, i32, i32, i32, i32, i32)
declare void @__lockstep_image_write_i(ptr addrspace(2), i32, i32, i32, i32, i32, i32, <4 x i32>)
