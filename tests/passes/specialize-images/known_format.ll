; RUN: lockstep-opt -passes=specialize-images %s | FileCheck %s
; RUN: lockstep-opt -passes='specialize-images,function(instcombine,simplifycfg)' %s | FileCheck %s --check-prefix=CODE
; The format is RGBA of unsigned bytes (0xb5 << 8 | 0xda = 46554), the sampler clamps to the edge (18). Of all formats one is
; left: a word is loaded and taken apart, and nothing asks for the format.

; CHECK-LABEL: @kernel
; CHECK-NOT: call {{.*}}__lockstep_image
; CHECK-NOT: declare {{.*}}__lockstep_image
; CODE-NOT: switch
; CODE-LABEL: @kernel
; CODE-COUNT-1: load i32, ptr addrspace(1) {{.*}}, align 1
; CODE-NOT: load i32, ptr addrspace(1)
define void @kernel(ptr addrspace(2) %image, i32 %sampler, ptr addrspace(1) %to, i32 %x) "lockstep-image-arguments"="46554,18,0" {
  %format = call i32 @__lockstep_image_format(ptr addrspace(2) %image)
  %color = call <4 x i32> @__lockstep_image_read_u(ptr addrspace(2) %image, i32 %format, i32 %sampler, i32 2, i32 %x, i32 7, i32 0, i32 0)
  store <4 x i32> %color, ptr addrspace(1) %to
  ret void
}

declare i32 @__lockstep_image_format(ptr addrspace(2))
declare <4 x i32> @__lockstep_image_read_u(ptr addrspace(2), i32, i32, i32, i32, i32, i32, i32)
