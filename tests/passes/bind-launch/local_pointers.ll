; RUN: lockstep-opt -nvidia=sm_90 -passes=retarget,bind-launch %s | FileCheck %s
; RUN: lockstep-opt -nvidia=sm_90 -local-size=8,4,1 -passes=retarget,bind-launch %s | FileCheck %s --check-prefix=SIZE
; A local pointer is an offset into the dynamic shared memory. The kernel is an entry for CUDA, which knows the local size.

; CHECK: @lockstep_shared = external addrspace(3) global [0 x i8], align 16
; CHECK: define ptx_kernel void @kernel(ptr addrspace(1) %out, i32 %memory.offset, i32 %n) [[ATTRIBUTES:#[0-9]+]]
; CHECK-NEXT: [[MEMORY:%.*]] = getelementptr inbounds i8, ptr addrspace(3) @lockstep_shared, i32 %memory.offset
; CHECK-NEXT: store i32 %n, ptr addrspace(3) [[MEMORY]]
; CHECK: attributes [[ATTRIBUTES]] = { "nvvm.maxntid"="1024" }
; SIZE: "nvvm.reqntid"="8,4,1"
define void @kernel(ptr addrspace(1) %out, ptr addrspace(3) noalias align 4 %memory, i32 %n) {
  store i32 %n, ptr addrspace(3) %memory
  ret void
}
