; RUN: lockstep-opt -passes=lower-image-types %s | FileCheck %s
; Images become addresses of descriptors and samplers numbers: in signatures, calls, variables and phis.

; CHECK-LABEL: define void @kernel(ptr addrspace(2) align 8 dereferenceable(48) %image, i32 %sampler, ptr addrspace(1) %to)
; CHECK: %place = alloca ptr addrspace(2)
; CHECK: store ptr addrspace(2) %image, ptr %place
; CHECK: %again = load ptr addrspace(2), ptr %place
; CHECK: %format = call i32 @__lockstep_image_format(ptr addrspace(2) %again)
; CHECK: %x = call i32 @helper(ptr addrspace(2) %again, i32 20)
; CHECK: store i32 %sampler, ptr addrspace(1) %to
define void @kernel(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %image, target("spirv.Sampler") %sampler, ptr addrspace(1) %to) {
  %place = alloca target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0)
  store target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %image, ptr %place
  %again = load target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0), ptr %place
  %descriptor = call ptr addrspace(2) @__lockstep_descriptor_image2d_ro(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %again)
  %format = call i32 @__lockstep_image_format(ptr addrspace(2) %descriptor)
  %literal = call target("spirv.Sampler") @__translate_sampler_initializer(i32 20)
  %x = call i32 @helper(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %again, target("spirv.Sampler") %literal)
  %number = call i32 @__lockstep_sampler(target("spirv.Sampler") %sampler)
  store i32 %number, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: define internal i32 @helper(ptr addrspace(2) align 8 dereferenceable(48) %image, i32 %sampler)
; CHECK-NEXT: ret i32 %sampler
define internal i32 @helper(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %image, target("spirv.Sampler") %sampler) {
  %number = call i32 @__lockstep_sampler(target("spirv.Sampler") %sampler)
  ret i32 %number
}

; CHECK-NOT: __lockstep_descriptor
; CHECK-NOT: __translate_sampler_initializer
; CHECK-NOT: __lockstep_sampler
declare ptr addrspace(2) @__lockstep_descriptor_image2d_ro(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0))
declare i32 @__lockstep_image_format(ptr addrspace(2))
declare target("spirv.Sampler") @__translate_sampler_initializer(i32)
declare i32 @__lockstep_sampler(target("spirv.Sampler"))
