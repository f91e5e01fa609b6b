; RUN: lockstep-opt -nvidia=sm_90 -passes=lower-image-types,retarget,bind-launch %s | FileCheck %s
; A load at a constant place of an image's descriptor becomes a parameter. Code that loads at another place needs the
; address of the descriptor.

; CHECK: define ptx_kernel void @kernel(ptr addrspace(1) %image, ptr addrspace(1) align 8 dereferenceable(48) %levels, ptr addrspace(1) %to, i64 %offset, ptr addrspace(1) [[DATA:%.*]], i32 [[WIDTH:%.*]], i32 [[OTHER_WIDTH:%.*]])
; CHECK: %both = add i32 [[WIDTH]], [[WIDTH]]
; CHECK: %texel = load i32, ptr addrspace(1) [[DATA]]
; CHECK: %sum = add i32 %texel, [[OTHER_WIDTH]]
; CHECK: %place = getelementptr i8, ptr addrspace(1) %levels, i64 %offset
; CHECK: %level = load i32, ptr addrspace(1) %place
define spir_kernel void @kernel(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %image, target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %levels, ptr addrspace(1) %to, i64 %offset) !kernel_arg_addr_space !0 !kernel_arg_access_qual !1 !kernel_arg_type !2 !kernel_arg_base_type !2 !kernel_arg_type_qual !3 {
  %descriptor = call ptr addrspace(2) @__lockstep_descriptor_image2d_ro(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %image)
  %other = call ptr addrspace(2) @__lockstep_descriptor_image2d_ro(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %levels)
  %of.width = getelementptr inbounds i8, ptr addrspace(2) %descriptor, i64 28
  %width = load i32, ptr addrspace(2) %of.width, !invariant.load !4
  %width.again = load i32, ptr addrspace(2) %of.width, !invariant.load !4
  %both = add i32 %width, %width.again
  store i32 %both, ptr addrspace(1) %to
  %data = load ptr addrspace(1), ptr addrspace(2) %descriptor, !invariant.load !4
  %texel = load i32, ptr addrspace(1) %data
  %of.other.width = getelementptr inbounds i8, ptr addrspace(2) %other, i64 28
  %other.width = load i32, ptr addrspace(2) %of.other.width, !invariant.load !4
  %sum = add i32 %texel, %other.width
  store i32 %sum, ptr addrspace(1) %to
  %place = getelementptr i8, ptr addrspace(2) %other, i64 %offset
  %level = load i32, ptr addrspace(2) %place
  store i32 %level, ptr addrspace(1) %to
  ret void
}

declare ptr addrspace(2) @__lockstep_descriptor_image2d_ro(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0))

!0 = !{i32 1, i32 1, i32 1, i32 0}
!1 = !{!"read_only", !"read_only", !"none", !"none"}
!2 = !{!"image2d_t", !"image2d_t", !"int*", !"ulong"}
!3 = !{!"", !"", !"", !""}
!4 = !{}
