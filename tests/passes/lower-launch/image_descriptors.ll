; RUN: lockstep-opt -passes=lower-launch %s | FileCheck %s
; What is known of an image's descriptor is known of the address that the argument block gives: it can be read before it is
; certain that somebody will.

; CHECK-LABEL: define {{.*}}void @lockstep.workgroup(
; CHECK: %image = load ptr addrspace(2), ptr %{{.*}}, align 8, !invariant.load !{{[0-9]+}}, !dereferenceable ![[SIZE:[0-9]+]], !align ![[ALIGNMENT:[0-9]+]]
; CHECK: %p = load ptr addrspace(1), ptr %{{.*}}, align 8, !invariant.load !{{[0-9]+}}{{$}}
; CHECK-DAG: ![[SIZE]] = !{i64 48}
; CHECK-DAG: ![[ALIGNMENT]] = !{i64 8}
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
define spir_kernel void @kernel(ptr addrspace(2) align 8 dereferenceable(48) %image, ptr addrspace(1) %p) !kernel_arg_addr_space !0 !kernel_arg_access_qual !1 !kernel_arg_type !2 !kernel_arg_base_type !2 !kernel_arg_type_qual !3 {
  %width = load i32, ptr addrspace(2) %image
  store i32 %width, ptr addrspace(1) %p
  ret void
}

!0 = !{i32 2, i32 1}
!1 = !{!"none", !"none"}
!2 = !{!"int*", !"int*"}
!3 = !{!"", !""}
