; RUN: lockstep-opt -passes=inline-kernel %s | FileCheck %s
; Functions are inlined whatever their attributes say; a struct that is only read is read in place, one that is written
; is copied for each work-item.

; CHECK-LABEL: define spir_kernel void @kernel
; CHECK: %written.copy = alloca [2 x i32]
; CHECK: call void @llvm.memcpy{{.*}}(ptr {{.*}}%written.copy, ptr {{.*}}%written
; CHECK: load i32, ptr %read
; CHECK: store i32 %{{.*}}, ptr %written.copy
; CHECK-NOT: define
define spir_kernel void @kernel(ptr byval([2 x i32]) align 4 %read, ptr byval([2 x i32]) align 4 %written) {
  %a = load i32, ptr %read
  %b = call i32 @helper(i32 %a)
  store i32 %b, ptr %written
  ret void
}

define internal i32 @helper(i32 %a) noinline optnone {
  %r = add i32 %a, 1
  ret i32 %r
}
