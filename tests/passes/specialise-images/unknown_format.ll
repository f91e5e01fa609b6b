; RUN: lockstep-opt -passes=specialise-images %s | FileCheck %s
; Where nothing is known of the image, its descriptor is asked.

; CHECK-LABEL: @kernel
; CHECK: %[[PLACE:.*]] = getelementptr inbounds i8, ptr addrspace(2) %image, i64 24
; CHECK: %[[FORMAT:.*]] = load i32, ptr addrspace(2) %[[PLACE]], align 4, !invariant.load
; CHECK: switch i32
; CHECK-NOT: call {{.*}}__lockstep_image
define void @kernel(ptr addrspace(2) %image, ptr addrspace(1) %to, i32 %x) {
  %format = call i32 @__lockstep_image_format(ptr addrspace(2) %image)
  %color = call <4 x float> @__lockstep_image_read_f(ptr addrspace(2) %image, i32 %format, i32 18, i32 2, i32 %x, i32 7, i32 0, i32 0)
  store <4 x float> %color, ptr addrspace(1) %to
  ret void
}

declare i32 @__lockstep_image_format(ptr addrspace(2))
declare <4 x float> @__lockstep_image_read_f(ptr addrspace(2), i32, i32, i32, i32, i32, i32, i32)
