; RUN: lockstep-opt -passes=lower-launch %s | FileCheck %s
; Dimensions 0 and 1 have changed places in the code. The structs and the attributes have those of the launch.

; CHECK-LABEL: define {{.*}}void @lockstep.workgroup(ptr {{.*}}%launch, ptr {{.*}}%group)
; CHECK-SAME: [[ATTRIBUTES:#[0-9]+]]
; CHECK: [[BYTES:%.*]] = getelementptr inbounds i8, ptr %launch, i64 108
; CHECK: load i32, ptr [[BYTES]], align 4
; CHECK: getelementptr inbounds i64, ptr %group, i64 1{{$}}
; CHECK: %row.i = load i64
; CHECK: getelementptr inbounds i64, ptr %group, i64 0{{$}}
; CHECK: %column.i = load i64
; CHECK: getelementptr inbounds i64, ptr %group, i64 2{{$}}
; CHECK: %plane.i = load i64
; CHECK: attributes [[ATTRIBUTES]] = {
; CHECK-NOT: lockstep-lane-dimension
; CHECK-SAME: "lockstep-coalesced-groups"="0,8,0" "lockstep-first-dimension"="1" "lockstep-local-size"="8,64,1" "lockstep-neighbor-groups"="8,1,1"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
define spir_kernel void @kernel(ptr addrspace(1) %p) #0 !kernel_arg_addr_space !0 !kernel_arg_access_qual !1 !kernel_arg_type !2 !kernel_arg_base_type !2 !kernel_arg_type_qual !3 {
  %distance = call i64 @__lockstep_local_argument_bytes()
  %row = call i64 @__lockstep_group_id(i32 0)
  %column = call i64 @__lockstep_group_id(i32 1)
  %plane = call i64 @__lockstep_group_id(i32 2)
  %sum = add i64 %row, %distance
  %more = mul i64 %sum, %column
  %all = sub i64 %more, %plane
  store i64 %all, ptr addrspace(1) %p
  ret void
}

declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_local_argument_bytes() nounwind willreturn memory(none)

attributes #0 = { "lockstep-coalesced-groups"="1,8,1" "lockstep-lane-dimension"="1" "lockstep-local-size"="64,8,1" "lockstep-neighbor-groups"="1,8,1" }

!0 = !{i32 1}
!1 = !{!"none"}
!2 = !{!"long*"}
!3 = !{!""}
