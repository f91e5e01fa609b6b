; RUN: env LOCKSTEP_SUB_GROUP_SIZE=16 lockstep-opt -passes=choose-sub-group-size %s | FileCheck %s
; A kernel that cannot tell how many lanes it has may be compiled again with fewer.

; CHECK: define void @plain() #[[FREE:[0-9]+]]
define void @plain() {
  ret void
}

; CHECK: define void @sees_its_size(ptr addrspace(1) %out) #[[SEEN:[0-9]+]]
define void @sees_its_size(ptr addrspace(1) %out) {
  %width = call i32 @__lockstep_sub_group_width()
  store i32 %width, ptr addrspace(1) %out
  ret void
}

; CHECK-DAG: attributes #[[FREE]] = { "lockstep-size-is-free" "lockstep-sub-group-size"="16" }
; CHECK-DAG: attributes #[[SEEN]] = { "lockstep-sub-group-size"="16" }
declare i32 @__lockstep_sub_group_width()
