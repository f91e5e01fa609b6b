; RUN: lockstep-opt -passes=instrument-accesses %s | FileCheck %s

; Accesses say whether they are half of a read-modify-write, whether they access floating-point numbers, and which outermost loop
; they are in: the last words before the reserved one.

; CHECK-DAG: @[[SUM:check.site[.0-9]*]] = internal global {{.*}} { i32 0, i32 0, i32 0, i32 4, i32 1, {{.*}}, i32 1, i32 1, i32 0, i32 0, ptr
; CHECK-DAG: @[[MOST:check.site[.0-9]*]] = internal global {{.*}} { i32 0, i32 0, i32 0, i32 4, i32 0, {{.*}}, i32 0, i32 7, i32 1, i32 0, ptr
; CHECK-DAG: @[[LARGER:check.site[.0-9]*]] = internal global {{.*}} { i32 0, i32 0, i32 0, i32 4, i32 1, {{.*}}, i32 0, i32 7, i32 1, i32 0, ptr
; CHECK-DAG: @[[SET:check.site[.0-9]*]] = internal global {{.*}} { i32 0, i32 0, i32 0, i32 4, i32 1, {{.*}}, i32 0, i32 0, i32 0, i32 0, ptr
; CHECK-DAG: @[[STEP:check.site[.0-9]*]] = internal global {{.*}} { i32 0, i32 0, i32 0, i32 4, i32 1, {{.*}}, i32 0, i32 8, i32 0, i32 0, ptr
; CHECK-DAG: @[[RIGHT:check.site[.0-9]*]] = internal global {{.*}} { i32 0, i32 0, i32 0, i32 4, i32 1, {{.*}}, i32 0, i32 8, i32 0, i32 0, ptr
; CHECK-DAG: @[[TWO:check.site[.0-9]*]] = internal global {{.*}} { i32 0, i32 0, i32 0, i32 4, i32 1, {{.*}}, i32 0, i32 1, i32 0, i32 0, ptr

; to[0] += x: one report for the read and the write
; CHECK-LABEL: define spir_kernel void @add
; CHECK: call void @__lockstep_check_access({{.*}}, ptr @[[SUM]],
define spir_kernel void @add(ptr addrspace(1) %to, float %x) "lockstep-local-size"="64,1,1" {
  %old = load float, ptr addrspace(1) %to
  %sum = fadd float %old, %x
  store float %sum, ptr addrspace(1) %to
  ret void
}

; The kind is `other` if the old value is changed by anything else: to[0] * x + x, x - to[0]; two additions are one.
; CHECK-LABEL: define spir_kernel void @step
; CHECK: call void @__lockstep_check_access({{.*}}, ptr @[[STEP]],
define spir_kernel void @step(ptr addrspace(1) %to, i32 %x) "lockstep-local-size"="64,1,1" {
  %old = load i32, ptr addrspace(1) %to
  %product = mul i32 %old, %x
  %sum = add i32 %product, %x
  store i32 %sum, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: define spir_kernel void @from_the_right
; CHECK: call void @__lockstep_check_access({{.*}}, ptr @[[RIGHT]],
define spir_kernel void @from_the_right(ptr addrspace(1) %to, i32 %x) "lockstep-local-size"="64,1,1" {
  %old = load i32, ptr addrspace(1) %to
  %difference = sub i32 %x, %old
  store i32 %difference, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: define spir_kernel void @two_additions
; CHECK: call void @__lockstep_check_access({{.*}}, ptr @[[TWO]],
define spir_kernel void @two_additions(ptr addrspace(1) %to, i32 %x, i32 %y) "lockstep-local-size"="64,1,1" {
  %old = load i32, ptr addrspace(1) %to
  %one = add i32 %old, %x
  %two = add i32 %y, %one
  store i32 %two, ptr addrspace(1) %to
  ret void
}

; if (x > to[0]) to[0] = x, in a loop
; CHECK-LABEL: define spir_kernel void @largest
; CHECK: call void @__lockstep_check_access({{.*}}, ptr @[[MOST]],
; CHECK: call void @__lockstep_check_access({{.*}}, ptr @[[LARGER]],
define spir_kernel void @largest(ptr addrspace(1) %to, i32 %x, i32 %n) "lockstep-local-size"="64,1,1" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %end ]
  %most = load i32, ptr addrspace(1) %to
  %is_larger = icmp sgt i32 %x, %most
  br i1 %is_larger, label %store, label %end
store:
  store i32 %x, ptr addrspace(1) %to
  br label %end
end:
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; What is stored does not depend on what is there.
; CHECK-LABEL: define spir_kernel void @set
; CHECK: call void @__lockstep_check_access({{.*}}, ptr @[[SET]],
define spir_kernel void @set(ptr addrspace(1) %to, i32 %x) "lockstep-local-size"="64,1,1" {
  store i32 %x, ptr addrspace(1) %to
  ret void
}
