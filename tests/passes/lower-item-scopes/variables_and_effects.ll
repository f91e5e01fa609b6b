; RUN: lockstep-opt -passes=lower-item-scopes %s | FileCheck %s --implicit-check-not=__lockstep_item_scope --implicit-check-not=__lockstep_private_memory --implicit-check-not=__lockstep_group_variable
; What only the group writes becomes a value, through the closure that holds its address; what work-items write is shared,
; unless it is marked as private. Effects of the group are the first work-item's, results come through local memory;
; barriers stand where memory is touched on both sides and not at the end.

; CHECK-DAG: @shared = internal addrspace(3) global i32 poison, section "lockstep.local", align 4
; CHECK-DAG: @group.result = internal addrspace(3) global i32 poison, section "lockstep.local", align 4
; CHECK-LABEL: define spir_kernel void @kernel
; CHECK-NOT: alloca
; CHECK: %own = alloca i32
; CHECK-NOT: alloca
; CHECK: %is.first = icmp eq i64 %{{.*}}, 0
; The store and the atomic operation: nothing was read before.
; CHECK-NOT: call void @__lockstep_barrier
; CHECK: br i1 %is.first
; CHECK: store i32 0, ptr addrspace(3) @shared
; CHECK: call void @__lockstep_barrier(i32 3)
; CHECK: br i1 %is.first
; CHECK: %[[OLD:.*]] = atomicrmw add ptr addrspace(1) %out, i32 1 monotonic
; CHECK-NEXT: store i32 %[[OLD]], ptr addrspace(3) @group.result
; CHECK: call void @__lockstep_barrier(i32 3)
; CHECK: %[[TICKET:.*]] = load i32, ptr addrspace(3) @group.result
; The work-items, after the others have read the result.
; CHECK: call void @__lockstep_barrier(i32 3)
; CHECK: store i32 %[[TICKET]], ptr addrspace(4) addrspacecast (ptr addrspace(3) @shared to ptr addrspace(4))
; CHECK: store i32 %[[TICKET]], ptr addrspace(4) %generic.own
; CHECK: call void @__lockstep_barrier(i32 3)
; CHECK: load i32, ptr addrspace(3) @shared
; CHECK-NEXT: call void @__lockstep_barrier(i32 3)
; The last one has no barrier behind it.
; CHECK: br i1 %is.first
; CHECK: store i32 %{{.*}}, ptr addrspace(1) %out
; CHECK-NOT: call void @__lockstep_barrier
; CHECK: ret void
define spir_kernel void @kernel(ptr addrspace(1) %out) {
  %shared = alloca i32
  %own = alloca i32
  %ticket = alloca i32
  %closure = alloca { ptr addrspace(4), ptr addrspace(4), ptr addrspace(4) }
  call void @__lockstep_private_memory(ptr %own)
  %generic.shared = addrspacecast ptr %shared to ptr addrspace(4)
  %generic.own = addrspacecast ptr %own to ptr addrspace(4)
  %generic.ticket = addrspacecast ptr %ticket to ptr addrspace(4)
  store i32 0, ptr %shared
  %old = atomicrmw add ptr addrspace(1) %out, i32 1 monotonic
  store i32 %old, ptr %ticket
  store ptr addrspace(4) %generic.shared, ptr %closure
  %second = getelementptr i8, ptr %closure, i64 8
  store ptr addrspace(4) %generic.own, ptr %second
  %third = getelementptr i8, ptr %closure, i64 16
  store ptr addrspace(4) %generic.ticket, ptr %third
  %generic.closure = addrspacecast ptr %closure to ptr addrspace(4)
  call void @for_each_item(ptr addrspace(4) %generic.closure)
  %result = load i32, ptr %shared
  store i32 %result, ptr addrspace(1) %out
  ret void
}

define internal void @for_each_item(ptr addrspace(4) %closure) noinline {
  %place = alloca ptr addrspace(4)
  store ptr addrspace(4) %closure, ptr %place
  call void @__lockstep_item_scope_begin()
  %this = load ptr addrspace(4), ptr %place
  %shared = load ptr addrspace(4), ptr addrspace(4) %this
  %second = getelementptr i8, ptr addrspace(4) %this, i64 8
  %own = load ptr addrspace(4), ptr addrspace(4) %second
  %third = getelementptr i8, ptr addrspace(4) %this, i64 16
  %at.ticket = load ptr addrspace(4), ptr addrspace(4) %third
  %ticket = load i32, ptr addrspace(4) %at.ticket
  store i32 %ticket, ptr addrspace(4) %shared
  store i32 %ticket, ptr addrspace(4) %own
  call void @__lockstep_item_scope_end()
  ret void
}

declare void @__lockstep_item_scope_begin()
declare void @__lockstep_item_scope_end()
declare void @__lockstep_private_memory(ptr)
