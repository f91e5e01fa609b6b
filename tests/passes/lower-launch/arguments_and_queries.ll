; RUN: lockstep-opt -passes=lower-launch %s | FileCheck %s
; Arguments come from the argument block, a local pointer as an offset into the group's local memory; ids and sizes from
; the two structs of launch_abi.h.

; CHECK-LABEL: define {{.*}}void @lockstep.workgroup(ptr {{.*}}%launch, ptr {{.*}}%group)
; CHECK: getelementptr inbounds i8, ptr %launch, i64 0
; CHECK: %args = load ptr, ptr %{{.*}}, align 8, !invariant.load
; CHECK: %p = load ptr addrspace(1)
; CHECK: %[[N:.*]] = getelementptr inbounds i8, ptr %args{{.*}}, i64 8
; CHECK: load i32, ptr %[[N]], align 4
; CHECK: %[[MEMORY:.*]] = getelementptr inbounds i8, ptr %group, i64 48
; CHECK: %local.memory = load ptr addrspace(3), ptr %[[MEMORY]]
; CHECK: getelementptr inbounds i8, ptr addrspace(3) %local.memory, i64
; Local and global memory do not alias.
; CHECK: store i32 %{{.*}}, ptr addrspace(1) %{{.*}}, !alias.scope ![[GLOBAL:[0-9]+]], !noalias ![[LOCAL:[0-9]+]]
; CHECK: store i32 %{{.*}}, ptr addrspace(3) %{{.*}}, !alias.scope ![[LOCAL]], !noalias ![[GLOBAL]]
; CHECK-NOT: @__lockstep_group_id(
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
define spir_kernel void @kernel(ptr addrspace(1) %p, i32 %n, ptr addrspace(3) %l) !kernel_arg_addr_space !0 !kernel_arg_access_qual !1 !kernel_arg_type !2 !kernel_arg_base_type !2 !kernel_arg_type_qual !3 {
  %g = call i64 @__lockstep_group_id(i32 1)
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %g
  store i32 %n, ptr addrspace(1) %place
  store i32 %n, ptr addrspace(3) %l
  ret void
}

declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)

!0 = !{i32 1, i32 0, i32 3}
!1 = !{!"none", !"none", !"none"}
!2 = !{!"int*", !"int", !"int*"}
!3 = !{!"", !"", !""}
