; RUN: lockstep-opt -nvidia=sm_90 -passes=link-gpu-functions %s | FileCheck %s
; Operations of parts of sub-groups name their members. The low word has all lanes of a warp.
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define {{.*}}<4 x i32> @_Z24sub_group_ballot_of_partmi(i64 {{.*}}%members, i32 {{.*}}%predicate)
; CHECK: [[LANES:%.*]] = trunc i64 %members to i32
; CHECK: [[HOLDS:%.*]] = zext i1 {{%.*}} to i32
; CHECK: call {{.*}}i32 @lockstep_nvidia_ballot_of_part(i32 {{.*}}[[LANES]], i32 {{.*}}[[HOLDS]])
; CHECK-LABEL: define {{.*}}i32 @_Z25sub_group_shuffle_in_partmjj(
; CHECK: call {{.*}}i32 @lockstep_nvidia_shuffle_in_part(i32 {{.*}}, i32 {{.*}}%value, i32 {{.*}}%lane)
; CHECK-LABEL: define {{.*}}void @_Z25part_of_sub_group_barrierm(
; CHECK: call {{.*}}void @lockstep_nvidia_barrier_of_part(i32
; CHECK-LABEL: define {{.*}}<4 x i32> @_Z16sub_group_tanglev(
; CHECK: call {{.*}}i32 @lockstep_nvidia_tangle()
declare spir_func <4 x i32> @_Z24sub_group_ballot_of_partmi(i64, i32)
declare spir_func i32 @_Z25sub_group_shuffle_in_partmjj(i64, i32, i32)
declare spir_func void @_Z25part_of_sub_group_barrierm(i64)
declare spir_func <4 x i32> @_Z16sub_group_tanglev()
define spir_kernel void @kernel(i64 %members, i32 %value) {
  %a = call spir_func <4 x i32> @_Z24sub_group_ballot_of_partmi(i64 %members, i32 %value)
  %b = call spir_func i32 @_Z25sub_group_shuffle_in_partmjj(i64 %members, i32 %value, i32 3)
  call spir_func void @_Z25part_of_sub_group_barrierm(i64 %members)
  %c = call spir_func <4 x i32> @_Z16sub_group_tanglev()
  ret void
}
