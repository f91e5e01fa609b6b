; RUN: lockstep-opt -passes=instrument-accesses %s | FileCheck %s
; A store that releases less than another atomic of its kernel does goes on with what its work-item has released before: the
; sites of all of its atomics say so (the 4), but not those of a kernel whose stores release all.

; Kind, order, failure, scope, address space, operation, fences, argument.
; CHECK-DAG: @[[STRONG:check.site[.0-9]*]] = {{.*}} { i32 0, i32 0, i32 0, i32 4, i32 {{[0-9]+}}, i32 2, i32 0, i32 3, i32 1, i32 0, i32 0, i32 0,
; CHECK-DAG: @[[HEAD:check.site[.0-9]*]] = {{.*}} { i32 0, i32 0, i32 0, i32 4, i32 {{[0-9]+}}, i32 2, i32 0, i32 3, i32 1, i32 0, i32 4, i32 0,
; CHECK-DAG: @[[WEAK:check.site[.0-9]*]] = {{.*}} { i32 0, i32 0, i32 0, i32 4, i32 {{[0-9]+}}, i32 0, i32 0, i32 3, i32 1, i32 0, i32 4, i32 0,

; CHECK-LABEL: define spir_kernel void @all_release
; CHECK: call i64 @__lockstep_check_atomic({{.*}}, ptr @[[STRONG]],
define spir_kernel void @all_release(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  store i32 1, ptr addrspace(1) %q
  store atomic i32 1, ptr addrspace(1) %p release, align 4
  %a = load atomic i32, ptr addrspace(1) %p monotonic, align 4
  ret void
}

; CHECK-LABEL: define spir_kernel void @one_is_relaxed
; CHECK: call i64 @__lockstep_check_atomic({{.*}}, ptr @[[HEAD]],
; CHECK: call i64 @__lockstep_check_atomic({{.*}}, ptr @[[WEAK]],
define spir_kernel void @one_is_relaxed(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  store i32 1, ptr addrspace(1) %q
  store atomic i32 1, ptr addrspace(1) %p release, align 4
  store atomic i32 2, ptr addrspace(1) %p monotonic, align 4
  ret void
}
