; RUN: lockstep-opt -passes=privatize-arguments %s | FileCheck %s
; A struct that is only read, also through a generic pointer, is read in place; one that is written, or that goes
; somewhere, is copied for each work-item.

; CHECK-LABEL: define spir_kernel void @kernel(ptr align 4 dereferenceable(8) %read, ptr align 4 dereferenceable(8) %written, ptr align 4 dereferenceable(8) %gone)
; CHECK-DAG: %written.copy = alloca [2 x i32], align 4
; CHECK-DAG: %gone.copy = alloca [2 x i32], align 4
; CHECK-NOT: %read.copy
; CHECK-DAG: call void @llvm.memcpy{{.*}}(ptr {{.*}}%written.copy, ptr {{.*}}%written, i64 8
; CHECK: addrspacecast ptr %read to ptr addrspace(4)
; CHECK: store i32 %{{.*}}, ptr %written.copy
; CHECK: store ptr %gone.copy, ptr %place
define spir_kernel void @kernel(ptr byval([2 x i32]) align 4 %read, ptr byval([2 x i32]) align 4 %written,
                                ptr byval([2 x i32]) align 4 %gone) {
  %place = alloca ptr
  %this = addrspacecast ptr %read to ptr addrspace(4)
  %a = load i32, ptr addrspace(4) %this
  store i32 %a, ptr %written
  store ptr %gone, ptr %place
  ret void
}
