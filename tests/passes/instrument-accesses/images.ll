; RUN: lockstep-opt -passes=instrument-accesses %s | FileCheck %s
; Texels are their image's: what nobody writes has no check, whatever other images are written.

%image = type { ptr addrspace(1), i64 }

; CHECK-LABEL: define spir_kernel void @copies
; CHECK-NOT: check_access
; CHECK: load i32, ptr addrspace(4) %p
; CHECK: call void @__lockstep_check_access(ptr addrspace(4) %q, i64 0, i64 1,
; CHECK-NEXT: store i32 %a, ptr addrspace(4) %q
define spir_kernel void @copies(ptr addrspace(2) dereferenceable(48) %from, ptr addrspace(2) dereferenceable(48) %to, i64 %i) "lockstep-local-size"="64,1,1" {
  %texels = load ptr addrspace(1), ptr addrspace(2) %from
  %generic = addrspacecast ptr addrspace(1) %texels to ptr addrspace(4)
  %p = getelementptr i32, ptr addrspace(4) %generic, i64 %i
  %place = getelementptr %image, ptr addrspace(2) %to, i64 1
  %others = load ptr addrspace(1), ptr addrspace(2) %place
  %generic_others = addrspacecast ptr addrspace(1) %others to ptr addrspace(4)
  %q = getelementptr i32, ptr addrspace(4) %generic_others, i64 %i
  %a = load i32, ptr addrspace(4) %p
  store i32 %a, ptr addrspace(4) %q
  ret void
}

; It is read and written.
; CHECK-LABEL: define spir_kernel void @both
; CHECK: call void @__lockstep_check_access(
; CHECK: load i32
; CHECK: call void @__lockstep_check_access(
; CHECK: store i32
define spir_kernel void @both(ptr addrspace(2) dereferenceable(48) %image, i64 %i, i64 %j) "lockstep-local-size"="64,1,1" {
  %texels = load ptr addrspace(1), ptr addrspace(2) %image
  %p = getelementptr i32, ptr addrspace(1) %texels, i64 %i
  %q = getelementptr i32, ptr addrspace(1) %texels, i64 %j
  %a = load i32, ptr addrspace(1) %p
  store i32 %a, ptr addrspace(1) %q
  ret void
}

; Each work-item has a texel of its own, if rows are as long as the image is wide; the address comes by two ways.
; CHECK-LABEL: define spir_kernel void @own_texel
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @own_texel(ptr addrspace(2) dereferenceable(48) %to, i1 %c) "lockstep-local-size"="16,4,1" !kernel_arg_base_type !0 {
  %item = call i64 @__lockstep_local_id(i32 0)
  %line = call i64 @__lockstep_local_id(i32 1)
  %group = call i64 @__lockstep_group_id(i32 0)
  %first = shl i64 %group, 4
  %x = or disjoint i64 %first, %item
  %from.width = getelementptr i8, ptr addrspace(2) %to, i64 28
  %width = load i32, ptr addrspace(2) %from.width
  %x32 = trunc i64 %x to i32
  %inside = icmp ult i32 %x32, %width
  br i1 %inside, label %do, label %end
do:
  br i1 %c, label %one, label %other
one:
  %texels.1 = load ptr addrspace(1), ptr addrspace(2) %to
  br label %both
other:
  %texels.2 = load ptr addrspace(1), ptr addrspace(2) %to
  br label %both
both:
  %texels = phi ptr addrspace(1) [ %texels.1, %one ], [ %texels.2, %other ]
  %from.pitch = getelementptr i8, ptr addrspace(2) %to, i64 8
  %pitch = load i64, ptr addrspace(2) %from.pitch
  %row = mul i64 %line, %pitch
  %p = getelementptr i8, ptr addrspace(1) %texels, i64 %row
  %q = getelementptr i32, ptr addrspace(1) %p, i64 %x
  store i32 1, ptr addrspace(1) %q
  br label %end
end:
  ret void
}

; The texels of another level of detail are somewhere else, and those of a buffer in constant memory anywhere.
; CHECK-LABEL: define spir_kernel void @other_level
; CHECK: call void @__lockstep_check_access(
; CHECK: call void @__lockstep_check_access(
define spir_kernel void @other_level(ptr addrspace(2) dereferenceable(48) %to) "lockstep-local-size"="16,1,1" !kernel_arg_base_type !0 {
  %item = call i64 @__lockstep_local_id(i32 0)
  %level = getelementptr i8, ptr addrspace(2) %to, i64 48
  %texels = load ptr addrspace(1), ptr addrspace(2) %to
  %others = load ptr addrspace(1), ptr addrspace(2) %level
  %p = getelementptr i32, ptr addrspace(1) %texels, i64 %item
  %q = getelementptr i32, ptr addrspace(1) %others, i64 %item
  store i32 1, ptr addrspace(1) %p
  store i32 1, ptr addrspace(1) %q
  ret void
}

; CHECK-LABEL: define spir_kernel void @pitch_from_a_buffer
; CHECK: call void @__lockstep_check_access(
define spir_kernel void @pitch_from_a_buffer(ptr addrspace(2) %pitches, ptr addrspace(1) %to) "lockstep-local-size"="16,4,1" !kernel_arg_base_type !1 {
  %item = call i64 @__lockstep_local_id(i32 0)
  %line = call i64 @__lockstep_local_id(i32 1)
  %from.pitch = getelementptr i8, ptr addrspace(2) %pitches, i64 8
  %pitch = load i64, ptr addrspace(2) %from.pitch
  %row = mul i64 %line, %pitch
  %p = getelementptr i8, ptr addrspace(1) %to, i64 %row
  %q = getelementptr i32, ptr addrspace(1) %p, i64 %item
  store i32 1, ptr addrspace(1) %q
  ret void
}

declare i64 @__lockstep_local_id(i32)
declare i64 @__lockstep_group_id(i32)

!0 = !{!"image2d_t", !"bool"}
!1 = !{!"ulong*", !"int*"}

; A barrier with CLK_IMAGE_MEM_FENCE orders them, as one with CLK_GLOBAL_MEM_FENCE does.
; CHECK-LABEL: define spir_kernel void @behind_a_barrier
; CHECK: call void @__lockstep_check_access({{.*}}, i64 %item, i64 0)
; CHECK: call void @__lockstep_barrier(i32 4)
; CHECK: call void @__lockstep_check_access({{.*}}, i64 %item, i64 1)
define spir_kernel void @behind_a_barrier(ptr addrspace(2) dereferenceable(48) %image, i64 %i, i64 %j) "lockstep-local-size"="64,1,1" {
  %texels = load ptr addrspace(1), ptr addrspace(2) %image
  %p = getelementptr i32, ptr addrspace(1) %texels, i64 %i
  %q = getelementptr i32, ptr addrspace(1) %texels, i64 %j
  %a = load i32, ptr addrspace(1) %p
  call void @__lockstep_barrier(i32 4)
  store i32 %a, ptr addrspace(1) %q
  ret void
}

declare void @__lockstep_barrier(i32) convergent nounwind
