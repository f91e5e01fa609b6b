; RUN: lockstep-opt -passes=link-device-library %s | FileCheck %s
; libclc converts numbers to int that do not fit where it does not need them. Of the library each such
; conversion is some number, not poison on which a branch would be undefined; of the program it stays.

; CHECK-LABEL: define {{.*}}@lockstep.kernel
; CHECK: %n = fptosi float %x to i32
; CHECK-NEXT: store i32 %n

; CHECK-LABEL: define internal {{.*}}double @_Z4erfcd(
; CHECK: [[N:%.*]] = fptosi double {{.*}} to i32
; CHECK-NEXT: [[NUMBER:%.*]] = freeze i32 [[N]]
; CHECK-NOT: [[N]],
; CHECK: ashr i32 [[NUMBER]], 6
define spir_kernel void @kernel(ptr addrspace(1) %p) {
  %x = load float, ptr addrspace(1) %p
  %n = fptosi float %x to i32
  store i32 %n, ptr addrspace(1) %p
  %y = call spir_func float @_Z4erfcf(float %x)
  store float %y, ptr addrspace(1) %p
  ret void
}

declare spir_func float @_Z4erfcf(float)
