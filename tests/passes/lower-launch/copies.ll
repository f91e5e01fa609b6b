; RUN: lockstep-opt -passes=lower-launch %s | FileCheck %s
; A plain copy of the group is a memcpy; a strided one and one of lines ask the host.

; CHECK: mul nuw i64 %{{.*}}, 4
; CHECK: call void @llvm.memcpy
; CHECK: call void @lockstep_strided_copy(ptr %{{.*}}, ptr %{{.*}}, i64 %{{.*}}, i64 1, i64 3, i64 4)
; CHECK: call void @lockstep_copy_lines(ptr %{{.*}}, ptr %{{.*}}, i64 %{{.*}}, i64 5, i64 2, i64 100, i64 900, i64 30, i64 400)
; CHECK-NOT: @__lockstep_group_copy
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
define spir_kernel void @kernel(ptr addrspace(1) %p, i64 %n) !kernel_arg_addr_space !0 !kernel_arg_access_qual !1 !kernel_arg_type !2 !kernel_arg_base_type !2 !kernel_arg_type_qual !3 {
  %g = addrspacecast ptr addrspace(1) %p to ptr addrspace(4)
  call void @__lockstep_group_copy(ptr addrspace(4) %g, ptr addrspace(4) %g, i64 %n, i64 1, i64 1, i64 4)
  call void @__lockstep_group_copy(ptr addrspace(4) %g, ptr addrspace(4) %g, i64 %n, i64 1, i64 3, i64 4)
  call void @__lockstep_group_copy_lines(ptr addrspace(4) %g, ptr addrspace(4) %g, i64 %n, i64 5, i64 2, i64 100, i64 900, i64 30, i64 400)
  ret void
}

declare void @__lockstep_group_copy(ptr addrspace(4), ptr addrspace(4), i64, i64, i64, i64) convergent nounwind
declare void @__lockstep_group_copy_lines(ptr addrspace(4), ptr addrspace(4), i64, i64, i64, i64, i64, i64, i64) convergent nounwind

!0 = !{i32 1, i32 0}
!1 = !{!"none", !"none"}
!2 = !{!"int*", !"long"}
!3 = !{!"", !""}
