; Where accesses are checked, functions that make any to memory of others are inlined: each has to know whose it is. What computes
; with its own, or with constants, stays.
; RUN: env LOCKSTEP_CHECK=races LOCKSTEP_INLINE_LIMIT=0 lockstep-opt -passes=keep-out-of-line,inline-kernel %s 2>&1 | FileCheck %s
; RUN: env LOCKSTEP_INLINE_LIMIT=0 lockstep-opt -passes=keep-out-of-line,inline-kernel %s 2>&1 | FileCheck %s --check-prefix=PLAIN

; CHECK-NOT: remark: {{.*}}'{{stores|copies|through|anywhere}}'
; CHECK-LABEL: define spir_kernel void @kernel
; CHECK: store i32 1, ptr addrspace(1) %p
; CHECK: call void @llvm.memcpy
; CHECK: store i32 2, ptr addrspace(1) %p
; CHECK: store i32 3, ptr addrspace(4)
; CHECK: call void @computes(
; CHECK: ret void
; CHECK-LABEL: define internal void @computes
; CHECK-NOT: define

; PLAIN-LABEL: define spir_kernel void @kernel
; PLAIN: call void @stores(
; PLAIN: call void @copies(
; PLAIN: call void @through(
; PLAIN: call void @anywhere(
; PLAIN: call void @computes(

@table = internal addrspace(2) constant [2 x i32] [i32 5, i32 7]

define spir_kernel void @kernel(ptr addrspace(1) %p) {
  %own = alloca [4 x i32]
  call void @stores(ptr addrspace(1) %p)
  call void @copies(ptr addrspace(1) %p, ptr %own)
  call void @through(ptr addrspace(1) %p)
  %any = addrspacecast ptr addrspace(1) %p to ptr addrspace(4)
  call void @anywhere(ptr addrspace(4) %any)
  call void @computes(ptr %own)
  ret void
}
define internal void @stores(ptr addrspace(1) %p) {
  store i32 1, ptr addrspace(1) %p
  ret void
}
define internal void @copies(ptr addrspace(1) %p, ptr %own) {
  call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) %p, ptr %own, i64 16, i1 false)
  ret void
}
define internal void @through(ptr addrspace(1) %p) {
  call void @through.inner(ptr addrspace(1) %p)
  ret void
}
define internal void @through.inner(ptr addrspace(1) %p) {
  store i32 2, ptr addrspace(1) %p
  ret void
}
define internal void @anywhere(ptr addrspace(4) %p) {
  store i32 3, ptr addrspace(4) %p
  ret void
}
define internal void @computes(ptr %own) {
  %a = load i32, ptr %own
  %b = load i32, ptr addrspace(2) @table
  %c = add i32 %a, %b
  store i32 %c, ptr %own
  ret void
}
