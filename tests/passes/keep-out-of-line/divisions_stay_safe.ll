; Functions are optimized before anything else when a kernel is too large, and a division says that its divisor is not
; zero. So it is made safe first, and once.
; RUN: env LOCKSTEP_INLINE_LIMIT=0 lockstep-opt -passes='keep-out-of-line,inline-kernel,function(guard-integer-division)' %s 2>/dev/null | FileCheck %s

; CHECK-LABEL: define internal i32 @divides
; CHECK: icmp eq i32 %b, 0
; CHECK-NOT: icmp eq i32 {{.*}}, 0
; CHECK: udiv i32
; CHECK: select
define spir_kernel void @kernel(ptr addrspace(1) %p, i32 %a, i32 %b) {
  %v = call i32 @divides(i32 %a, i32 %b)
  store i32 %v, ptr addrspace(1) %p
  ret void
}

define internal i32 @divides(i32 %a, i32 %b) {
  %q = udiv i32 %a, %b
  %z = icmp eq i32 %b, 0
  %r = select i1 %z, i32 7, i32 %q
  ret i32 %r
}
