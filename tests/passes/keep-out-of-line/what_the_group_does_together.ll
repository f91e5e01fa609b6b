; Functions that reach a barrier, a sub-group operation, or an access that a loop might wait for are inlined however low
; the limit is; so are those that return an array. One that only counts or prints stays.
; RUN: env LOCKSTEP_INLINE_LIMIT=0 lockstep-opt -passes=keep-out-of-line,inline-kernel %s 2>&1 | FileCheck %s

; CHECK-NOT: remark: {{.*}}'{{waits|waits.inner|asks|polls|unlocks|array}}'
; CHECK-LABEL: define spir_kernel void @kernel
; CHECK: call void @__lockstep_barrier(i32 1)
; CHECK: call i64 @__lockstep_sub_group_ballot(i1 true)
; CHECK: load atomic i32
; CHECK: store atomic i32
; CHECK: call void @counts(
; CHECK: ret void
; CHECK-LABEL: define internal void @counts
; CHECK-NOT: define
define spir_kernel void @kernel(ptr addrspace(1) %p) {
  call void @waits()
  call void @asks(ptr addrspace(1) %p)
  call void @polls(ptr addrspace(1) %p)
  call void @unlocks(ptr addrspace(1) %p)
  %v = call [2 x i32] @array(i32 1)
  call void @counts(ptr addrspace(1) %p)
  ret void
}
define internal void @waits() {
  call void @waits.inner()
  ret void
}
define internal void @waits.inner() {
  call void @__lockstep_barrier(i32 1)
  ret void
}
define internal void @asks(ptr addrspace(1) %p) {
  %b = call i64 @__lockstep_sub_group_ballot(i1 true)
  store i64 %b, ptr addrspace(1) %p
  ret void
}
define internal void @polls(ptr addrspace(1) %p) {
  %v = load atomic i32, ptr addrspace(1) %p seq_cst, align 4
  ret void
}
define internal void @unlocks(ptr addrspace(1) %p) {
  store atomic i32 0, ptr addrspace(1) %p seq_cst, align 4
  ret void
}
define internal [2 x i32] @array(i32 %a) {
  %v = insertvalue [2 x i32] poison, i32 %a, 0
  ret [2 x i32] %v
}
define internal void @counts(ptr addrspace(1) %p) {
  %old = atomicrmw add ptr addrspace(1) %p, i32 1 seq_cst
  %n = call i32 @__lockstep_printf(ptr addrspace(2) null, ptr null, i32 0)
  ret void
}

declare void @__lockstep_barrier(i32) convergent
declare i64 @__lockstep_sub_group_ballot(i1) convergent
declare i32 @__lockstep_printf(ptr addrspace(2), ptr, i32)
