; RUN: not lockstep-opt -passes=inline-kernel %s 2>&1 | FileCheck %s

; CHECK: error: function 'again' calls itself; kernels have no recursion
define spir_kernel void @kernel(i32 %n) {
  %r = call i32 @again(i32 %n)
  ret void
}

define internal i32 @again(i32 %n) {
  %m = sub i32 %n, 1
  %r = call i32 @again(i32 %m)
  ret i32 %r
}
