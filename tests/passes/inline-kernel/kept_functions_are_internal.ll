; RUN: lockstep-opt -passes=inline-kernel %s | FileCheck %s
; What stays a function has no linkage by which LLVM could leave it out, or take another definition.

; CHECK: define internal i32 @by_inline(
; CHECK: define internal i32 @by_template(
; CHECK-NOT: comdat
; CHECK: define internal i32 @by_weak(
; CHECK: define void @lockstep.kernel(
$by_template = comdat any

define available_externally i32 @by_inline(i32 %x) "lockstep-out-of-line" {
  ret i32 %x
}

define linkonce_odr i32 @by_template(i32 %x) "lockstep-out-of-line" comdat {
  ret i32 %x
}

define weak i32 @by_weak(i32 %x) "lockstep-out-of-line" {
  ret i32 %x
}

define void @lockstep.kernel(ptr addrspace(1) %p, i32 %x) {
  %a = call i32 @by_inline(i32 %x)
  %b = call i32 @by_template(i32 %a)
  %c = call i32 @by_weak(i32 %b)
  store i32 %c, ptr addrspace(1) %p
  ret void
}
