; RUN: lockstep-opt -passes=specialize-images %s | FileCheck %s
; A loop might wait for what is read from an image beside a fence, which nobody sees of a function out of line.

; CHECK-LABEL: define void @kernel
; CHECK: switch i32
; CHECK-NOT: out.of.line
define void @kernel(ptr addrspace(2) %image, ptr addrspace(1) %to, i32 %x) {
  %format = call i32 @__lockstep_image_format(ptr addrspace(2) %image)
  fence seq_cst
  %color = call <4 x float> @__lockstep_image_read_f(ptr addrspace(2) %image, i32 %format, i32 18, i32 2, i32 %x, i32 7, i32 0, i32 0)
  store <4 x float> %color, ptr addrspace(1) %to
  ret void
}

declare i32 @__lockstep_image_format(ptr addrspace(2))
declare <4 x float> @__lockstep_image_read_f(ptr addrspace(2), i32, i32, i32, i32, i32, i32, i32)
