; RUN: lockstep-opt -passes=drop-private-shadow %s | FileCheck %s
; A function object that kernels read by a generic `this`, and variables: all of it is defined, and no call has the address.

@site = internal global i32 0
@shared = internal addrspace(3) global i32 0

; CHECK-LABEL: define spir_kernel void @own
; CHECK-NOT: @__lockstep_undefined
; CHECK-NOT: @__lockstep_computed
; CHECK: call void @use(i32 0)
; CHECK-NEXT: call void @use(i32 0)
; CHECK-NEXT: call void @use(i32 0)
; CHECK-NEXT: ret void
define spir_kernel void @own(ptr byval([4 x i32]) %object, i1 %first) {
  %variable = alloca i32
  %this = addrspacecast ptr %object to ptr addrspace(4)
  %place = getelementptr i8, ptr addrspace(4) %this, i64 8
  %bits = call i32 @__lockstep_undefined_load.i32.p4(ptr addrspace(4) %place)
  %generic = addrspacecast ptr %variable to ptr addrspace(4)
  %computed = call i32 @__lockstep_computed_load.i32.p4(ptr addrspace(4) %generic)
  call void @__lockstep_undefined_store.i32.p4(ptr addrspace(4) %generic, i32 %bits, i1 false, ptr @site)
  call void @__lockstep_undefined_update.i32.p4(ptr addrspace(4) %place, i32 0, i32 %bits, ptr @site)
  %either = select i1 %first, ptr addrspace(4) %place, ptr addrspace(4) %generic
  %of.either = call i32 @__lockstep_undefined_load.i32.p4(ptr addrspace(4) %either)
  call void @use(i32 %bits)
  call void @use(i32 %computed)
  call void @use(i32 %of.either)
  ret void
}

; Of what a member points to, of local memory and of what may be that, it is asked still.
; CHECK-LABEL: define spir_kernel void @others
; CHECK: call i32 @__lockstep_undefined_load.i32.p4(ptr addrspace(4) %member)
; CHECK: call i32 @__lockstep_undefined_load.i32.p3(ptr addrspace(3) @shared)
; CHECK: call i32 @__lockstep_undefined_load.i32.p4(ptr addrspace(4) %either)
; CHECK: call void @__lockstep_undefined_store.i32.p1(ptr addrspace(1) %to
define spir_kernel void @others(ptr byval([4 x i32]) %object, ptr addrspace(1) %to, i1 %first) {
  %member = load ptr addrspace(4), ptr %object
  %bits = call i32 @__lockstep_undefined_load.i32.p4(ptr addrspace(4) %member)
  call void @use(i32 %bits)
  %of.shared = call i32 @__lockstep_undefined_load.i32.p3(ptr addrspace(3) @shared)
  call void @use(i32 %of.shared)
  %own = addrspacecast ptr %object to ptr addrspace(4)
  %either = select i1 %first, ptr addrspace(4) %own, ptr addrspace(4) addrspacecast (ptr addrspace(3) @shared to ptr addrspace(4))
  %of.either = call i32 @__lockstep_undefined_load.i32.p4(ptr addrspace(4) %either)
  call void @use(i32 %of.either)
  call void @__lockstep_undefined_store.i32.p1(ptr addrspace(1) %to, i32 %bits, i1 false, ptr @site)
  ret void
}

declare i32 @__lockstep_undefined_load.i32.p4(ptr addrspace(4))
declare i32 @__lockstep_undefined_load.i32.p3(ptr addrspace(3))
declare i32 @__lockstep_computed_load.i32.p4(ptr addrspace(4))
declare void @__lockstep_undefined_store.i32.p4(ptr addrspace(4), i32, i1, ptr)
declare void @__lockstep_undefined_store.i32.p1(ptr addrspace(1), i32, i1, ptr)
declare void @__lockstep_undefined_update.i32.p4(ptr addrspace(4), i32, i32, ptr)
declare void @use(i32)
