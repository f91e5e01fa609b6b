; RUN: lockstep-opt -passes='specialize-images,function(instcombine,simplifycfg)' %s | FileCheck %s
; SYCL's kernels call these functions themselves, with the convention of their front end, and the format is a constant of
; theirs. A call with another convention than its function's is undefined: all of it would be gone.

; CHECK-LABEL: @kernel
; CHECK: store i32 {{.*}}, ptr addrspace(1) {{.*}}, align 1
; CHECK-NOT: unreachable
define void @kernel(i64 %descriptor, i32 %x) {
  %image = inttoptr i64 %descriptor to ptr addrspace(2)
  call spir_func void @__lockstep_image_write_u(ptr addrspace(2) %image, i32 46554, i32 1, i32 %x, i32 0, i32 0, i32 0, <4 x i32> <i32 1, i32 2, i32 3, i32 4>)
  ret void
}

declare spir_func void @__lockstep_image_write_u(ptr addrspace(2), i32, i32, i32, i32, i32, i32, <4 x i32>)
