; RUN: lockstep-opt -passes=instrument-accesses %s | FileCheck %s
; Texels are their image's: what nobody writes has no check, whatever other images are written.

%image = type { ptr addrspace(1), i64 }

; CHECK-LABEL: define spir_kernel void @copies
; CHECK-NOT: check_access
; CHECK: load i32, ptr addrspace(4) %p
; CHECK: call void @__lockstep_check_access(ptr addrspace(4) %q, i64 0, i64 1,
; CHECK-NEXT: store i32 %a, ptr addrspace(4) %q
define spir_kernel void @copies(ptr addrspace(2) %from, ptr addrspace(2) %to, i64 %i) "lockstep-local-size"="64,1,1" {
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
define spir_kernel void @both(ptr addrspace(2) %image, i64 %i, i64 %j) "lockstep-local-size"="64,1,1" {
  %texels = load ptr addrspace(1), ptr addrspace(2) %image
  %p = getelementptr i32, ptr addrspace(1) %texels, i64 %i
  %q = getelementptr i32, ptr addrspace(1) %texels, i64 %j
  %a = load i32, ptr addrspace(1) %p
  store i32 %a, ptr addrspace(1) %q
  ret void
}

declare i64 @__lockstep_local_id(i32)
