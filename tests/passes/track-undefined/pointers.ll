; RUN: lockstep-opt -passes=track-undefined %s | FileCheck %s
; Of what a pointer points into is asked where it may be local or global memory, whichever space the pointer has.

@shared = internal addrspace(3) global i32 poison

; A variable of the group that a hierarchical kernel's items share is reached through a private pointer.
; CHECK-LABEL: define spir_kernel void @of_group
; CHECK: call void @__lockstep_undefined_store.i32.p0(ptr {{.*}}, i32 0, i1 false,
; CHECK: call i32 @__lockstep_undefined_load.i32.p0(
define spir_kernel void @of_group() {
  %generic = addrspacecast ptr addrspace(3) @shared to ptr addrspace(4)
  %private = addrspacecast ptr addrspace(4) %generic to ptr
  store i32 1, ptr %private
  %v = load i32, ptr %private
  %is = icmp ugt i32 %v, 7
  br i1 %is, label %one, label %other, !lockstep.user.code !0

one:
  call void @act()
  ret void

other:
  ret void
}

; The function object of a kernel is private, and its address goes through variables that are reached by generic addresses:
; nothing is asked of it, nor of one whose address is in memory.
; CHECK-LABEL: define spir_kernel void @of_function_object
; CHECK-NOT: %this
; CHECK-NOT: __lockstep_undefined
; CHECK: call void @__lockstep_undefined_store.i32.p4(ptr addrspace(4) {{.*}}%data, i32 0, i1 false,
; CHECK-NOT: __lockstep_undefined
; CHECK: ret void
define spir_kernel void @of_function_object(ptr byval({ ptr addrspace(4), i32 }) align 8 %object) {
  %this = alloca ptr addrspace(4)
  %escaped = alloca i32
  %this.generic = addrspacecast ptr %this to ptr addrspace(4)
  %escaped.generic = addrspacecast ptr %escaped to ptr addrspace(4)
  %object.generic = addrspacecast ptr %object to ptr addrspace(4)
  store ptr addrspace(4) %object.generic, ptr addrspace(4) %this.generic
  call void @take(ptr %escaped)
  %first = load ptr addrspace(4), ptr addrspace(4) %this.generic
  %data = load ptr addrspace(4), ptr addrspace(4) %first
  %at = getelementptr i8, ptr addrspace(4) %first, i64 8
  %v = load i32, ptr addrspace(4) %at
  %w = load i32, ptr addrspace(4) %escaped.generic
  %sum = add i32 %v, %w
  store i32 %sum, ptr addrspace(4) %data
  ret void
}

declare void @act()
declare void @take(ptr)

!0 = !{}
