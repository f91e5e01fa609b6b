; RUN: lockstep-opt -passes='link-device-library,inline-kernel,privatize-arguments,function(argument-pointers)' %s | FileCheck %s
; The kernel as the passes before leave it, which is no spir_kernel any more.

; CHECK-LABEL: define {{.*}}void @lockstep.kernel
; CHECK: %pointer = load ptr addrspace(4), ptr %{{.*}}, !invariant.load
; CHECK: %[[GLOBAL:.*]] = addrspacecast ptr addrspace(4) %pointer to ptr addrspace(1)
; CHECK: %[[GENERIC:.*]] = addrspacecast ptr addrspace(1) %[[GLOBAL]] to ptr addrspace(4)
; CHECK: store i32 1, ptr addrspace(4) %[[GENERIC]]
target triple = "spir64-unknown-unknown"
%function = type { i64, ptr addrspace(4) }

define spir_kernel void @kernel(ptr byval(%function) align 8 %struct) {
  %field = getelementptr inbounds i8, ptr %struct, i64 8
  %pointer = load ptr addrspace(4), ptr %field
  store i32 1, ptr addrspace(4) %pointer
  ret void
}
