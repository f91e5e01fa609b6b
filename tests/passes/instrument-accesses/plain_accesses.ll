; RUN: lockstep-opt -passes=instrument-accesses %s | FileCheck %s
; The site says number, line, column, bytes, kind (0 read, 1 write, 2 to 4 atomic), orders, scope, address space,
; operation, fences, argument, whether all write the same, whether the kernel synchronizes, file, line, object.

@k.tile = internal addrspace(3) global [4 x i32] undef
@lockstep.group.scratch = internal addrspace(3) global [4 x i64] undef

; CHECK-DAG: @[[LOAD:check.site[.0-9]*]] = internal global {{.*}} { i32 0, i32 0, i32 0, i32 4, i32 0, i32 0, i32 0, i32 3, i32 1, i32 0, i32 0, i32 0, i32 0, i32 0,
; CHECK-DAG: @[[STORE:check.site[.0-9]*]] = internal global {{.*}} { i32 0, i32 0, i32 0, i32 4, i32 1, i32 0, i32 0, i32 3, i32 3, i32 0, i32 0, i32 -1, i32 1, i32 0,
; CHECK-DAG: @[[LOADED:check.site[.0-9]*]] = internal global {{.*}} { i32 0, i32 0, i32 0, i32 8, i32 0, i32 0, i32 0, i32 3, i32 3, i32 0, i32 0, i32 -1, i32 0, i32 0,
; CHECK-DAG: @[[CONSTANT:check.site[.0-9]*]] = internal global {{.*}} { i32 0, i32 0, i32 0, i32 4, i32 1, i32 0, i32 0, i32 3, i32 1, i32 0, i32 0, i32 0, i32 2, i32 0,

; CHECK-LABEL: define spir_kernel void @k
; CHECK-NOT: sanitize_thread
; CHECK: call i64 @__lockstep_local_id(i32 1)
; CHECK: %item = add i64
define spir_kernel void @k(ptr addrspace(1) %p, ptr addrspace(2) %c, i32 %flags) sanitize_thread {
  %mine = alloca i32
; CHECK: %[[G:.*]] = addrspacecast ptr addrspace(1) %p to ptr addrspace(4)
; CHECK: call void @__lockstep_check_access(ptr addrspace(4) %[[G]], i64 0, i64 1, ptr @[[LOAD]], i64 %item, i64 0)
; CHECK: load i32, ptr addrspace(1) %p
  %a = load i32, ptr addrspace(1) %p
; CHECK: call void @__lockstep_check_access({{.*}}, ptr @[[STORE]], i64 %item, i64 0)
; CHECK: store i32 %a, ptr addrspace(3) @k.tile
  store i32 %a, ptr addrspace(3) @k.tile
; What is private, constant, or a collective's own is nobody else's.
; CHECK-NOT: check_access
  store i32 %a, ptr %mine
  %b = load i32, ptr addrspace(2) %c
  %s = load i64, ptr addrspace(3) @lockstep.group.scratch
; After a barrier for local memory, one for both.
; CHECK: call void @__lockstep_barrier(i32 1)
  call void @__lockstep_barrier(i32 1)
; CHECK: call void @__lockstep_check_access({{.*}}, ptr @[[LOADED]], i64 %item, i64 1048576)
  %d = load i64, ptr addrspace(3) @k.tile
  store i32 %a, ptr addrspace(3) @k.tile
; CHECK: call void @__lockstep_barrier(i32 3)
  call void @__lockstep_barrier(i32 3)
; CHECK: call void @__lockstep_check_access({{.*}}, ptr @[[CONSTANT]], i64 %item, i64 2097153)
  store i32 7, ptr addrspace(1) %p
  ret void
}

declare void @__lockstep_barrier(i32) convergent nounwind
