; RUN: not lockstep-opt -nvidia=sm_90 -passes=name-tangled-lanes %s 2>&1 | FileCheck %s
; Which lanes come to an out-of-line function, only the kernel knows.

; CHECK: a kernel uses tangle_group in a function that is not inlined, which NVIDIA devices do not support
declare i32 @lockstep_nvidia_tangle() convergent
define internal i32 @function() convergent "lockstep-out-of-line" {
  %lanes = call i32 @lockstep_nvidia_tangle()
  ret i32 %lanes
}
define void @kernel(ptr addrspace(1) %out) convergent {
  %lanes = call i32 @function()
  store i32 %lanes, ptr addrspace(1) %out
  ret void
}
