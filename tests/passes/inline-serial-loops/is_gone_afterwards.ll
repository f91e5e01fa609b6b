; RUN: lockstep-opt -passes='inline-serial-loops' %s | FileCheck %s
; The function that serialize-loops made is inlined and deleted; others stay.

; CHECK-LABEL: define void @kernel
; CHECK-NOT: call {{.*}} @serial
; CHECK: load float
; CHECK: call float @other
; CHECK: ret void
; CHECK-NOT: @serial
define void @kernel(ptr addrspace(1) %p) {
  %value = call float @serial.loop(ptr addrspace(1) %p)
  %more = call float @other(float %value)
  store float %more, ptr addrspace(1) %p
  ret void
}

define internal float @serial.loop(ptr addrspace(1) %p) #0 {
  %value = load float, ptr addrspace(1) %p
  ret float %value
}

declare float @other(float)

attributes #0 = { nounwind "lockstep-serial-loop" }
