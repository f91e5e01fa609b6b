; RUN: lockstep-opt -passes=lower-launch %s | FileCheck %s
; A dimension that is not known may come from a lane that is not active: what it reads must be there.

; CHECK: [[SETTLED:%.*]] = freeze i32 %{{.*}}
; CHECK: [[THERE:%.*]] = call i32 @llvm.umin.i32(i32 [[SETTLED]], i32 2)
; CHECK: [[PLACE:%.*]] = zext i32 [[THERE]] to i64
; CHECK: getelementptr inbounds i64, ptr %group, i64 [[PLACE]]
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
define spir_kernel void @kernel(ptr addrspace(1) %p, i32 %dimension) !kernel_arg_addr_space !0 !kernel_arg_access_qual !1 !kernel_arg_type !2 !kernel_arg_base_type !2 !kernel_arg_type_qual !3 {
  %g = call i64 @__lockstep_group_id(i32 %dimension)
  store i64 %g, ptr addrspace(1) %p
  ret void
}

declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)

!0 = !{i32 1, i32 0}
!1 = !{!"none", !"none"}
!2 = !{!"long*", !"int"}
!3 = !{!"", !""}
