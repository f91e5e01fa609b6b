; RUN: lockstep-opt -passes=instrument-accesses %s | FileCheck %s
; The write that follows a read of the same bytes tells for both, and then that others write the same is no excuse.

; CHECK-DAG: @[[BOTH:check.site[.0-9]*]] = internal global {{.*}} { i32 0, i32 0, i32 0, i32 4, i32 1, i32 0, i32 0, i32 3, i32 1, i32 0, i32 0, i32 0, i32 0, i32 2,
; CHECK-DAG: @[[READ:check.site[.0-9]*]] = internal global {{.*}} { i32 0, i32 0, i32 0, i32 4, i32 0, i32 0, i32 0, i32 3, i32 1, i32 0, i32 0, i32 0, i32 0, i32 2,
; CHECK-DAG: @[[SAME:check.site[.0-9]*]] = internal global {{.*}} { i32 0, i32 0, i32 0, i32 4, i32 1, i32 0, i32 0, i32 3, i32 1, i32 0, i32 0, i32 0, i32 1, i32 2,

; CHECK-LABEL: define spir_kernel void @counted
define spir_kernel void @counted(ptr addrspace(1) %p, ptr addrspace(1) %flag) sanitize_thread {
; CHECK-NOT: check_access
; CHECK: load i32, ptr addrspace(1) %p
; CHECK-COUNT-1: call void @__lockstep_check_access({{.*}}, ptr @[[BOTH]],
; CHECK-NOT: check_access
; CHECK: store i32 %more, ptr addrspace(1) %p
  %seen = load i32, ptr addrspace(1) %p
  %more = add i32 %seen, 1
  store i32 %more, ptr addrspace(1) %p
  %taken = atomicrmw xchg ptr addrspace(1) %flag, i32 1 acquire
  ret void
}

; Not if something between orders accesses.
; CHECK-LABEL: define spir_kernel void @parted
define spir_kernel void @parted(ptr addrspace(1) %p, ptr addrspace(1) %flag) sanitize_thread {
; CHECK: call void @__lockstep_check_access({{.*}}, ptr @[[READ]],
; CHECK: load i32, ptr addrspace(1) %p
; CHECK: check_atomic
; CHECK: call void @__lockstep_check_access({{.*}}, ptr @[[SAME]],
; CHECK: store i32 %seen, ptr addrspace(1) %p
  %seen = load i32, ptr addrspace(1) %p
  %taken = atomicrmw xchg ptr addrspace(1) %flag, i32 1 acquire
  store i32 %seen, ptr addrspace(1) %p
  ret void
}

; Nor if it is written elsewhere, or only on one way.
; CHECK-LABEL: define spir_kernel void @elsewhere
define spir_kernel void @elsewhere(ptr addrspace(1) %p, i1 %c) sanitize_thread {
; CHECK: check_access
; CHECK: load i32, ptr addrspace(1) %p
; CHECK: check_access
; CHECK: load i32, ptr addrspace(1) %q
  %q = getelementptr i32, ptr addrspace(1) %p, i64 1
  %seen = load i32, ptr addrspace(1) %p
  %next = load i32, ptr addrspace(1) %q
  br i1 %c, label %then, label %end
then:
; CHECK: check_access
; CHECK: store i32 %seen, ptr addrspace(1) %q
  store i32 %seen, ptr addrspace(1) %q
  br label %end
end:
  ret void
}
