; RUN: env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes=choose-sub-group-size %s | FileCheck %s
; Where calls tell of accesses in a kernel that waits, one is for as many lanes as may be; unless the kernel sees how many that are,
; or the group has fewer.

; CHECK: @told(){{.*}} [[WIDE:#[0-9]+]]
; CHECK: @looped(){{.*}} [[LOOPED:#[0-9]+]]
; CHECK: @sees_its_size(ptr addrspace(1) %out) [[SEEN:#[0-9]+]]
; CHECK: @small_group() [[SMALL:#[0-9]+]]
; CHECK-DAG: attributes [[WIDE]] = {{.*}}"lockstep-sub-group-size"="64"
; CHECK-DAG: attributes [[LOOPED]] = {{.*}}"lockstep-sub-group-size"="16"
; CHECK-DAG: attributes [[SEEN]] = {{.*}}"lockstep-sub-group-size"="16"
; CHECK-DAG: attributes [[SMALL]] = {{.*}}"lockstep-sub-group-size"="32"
define void @told() "lockstep-form"="resumable" "lockstep-reports-accesses" {
  ret void
}

define void @looped() "lockstep-reports-accesses" {
  ret void
}

define void @sees_its_size(ptr addrspace(1) %out) "lockstep-form"="resumable" "lockstep-reports-accesses" {
  %width = call i32 @__lockstep_sub_group_width()
  store i32 %width, ptr addrspace(1) %out
  ret void
}

define void @small_group() "lockstep-local-size"="24,1,1" "lockstep-form"="resumable" "lockstep-reports-accesses" {
  ret void
}

declare i32 @__lockstep_sub_group_width()
