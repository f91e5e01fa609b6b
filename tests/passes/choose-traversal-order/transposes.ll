; RUN: lockstep-opt -passes='choose-traversal-order' %s | FileCheck %s
; Stores of columns: the group of the next row of groups writes the elements beside, in the same lines of the cache.

declare i64 @__lockstep_group_id(i32)
declare i64 @__lockstep_local_id(i32)

; CHECK: define void @transpose({{.*}}) [[ALONG_1:#[0-9]+]]
define void @transpose(ptr addrspace(1) %from, ptr addrspace(1) %to, i32 %n) #0 {
  %group.x = call i64 @__lockstep_group_id(i32 0)
  %group.y = call i64 @__lockstep_group_id(i32 1)
  %local.x = call i64 @__lockstep_local_id(i32 0)
  %local.y = call i64 @__lockstep_local_id(i32 1)
  %left = shl i64 %group.x, 4
  %above = shl i64 %group.y, 3
  %x = add i64 %left, %local.x
  %y = add i64 %above, %local.y
  %column = trunc i64 %x to i32
  %row = trunc i64 %y to i32
  %line = mul i32 %row, %n
  %from.index = add i32 %line, %column
  %from.wide = zext i32 %from.index to i64
  %from.at = getelementptr float, ptr addrspace(1) %from, i64 %from.wide
  %value = load float, ptr addrspace(1) %from.at
  %to.line = mul i32 %column, %n
  %to.index = add i32 %to.line, %row
  %to.wide = zext i32 %to.index to i64
  %to.at = getelementptr float, ptr addrspace(1) %to, i64 %to.wide
  store float %value, ptr addrspace(1) %to.at
  ret void
}

; The next group in dimension 0 writes the elements beside.
; CHECK: define void @copy({{.*}}) [[AS_USUAL:#[0-9]+]]
define void @copy(ptr addrspace(1) %from, ptr addrspace(1) %to, i64 %n) #0 {
  %group.x = call i64 @__lockstep_group_id(i32 0)
  %group.y = call i64 @__lockstep_group_id(i32 1)
  %local.x = call i64 @__lockstep_local_id(i32 0)
  %local.y = call i64 @__lockstep_local_id(i32 1)
  %left = shl i64 %group.x, 4
  %above = shl i64 %group.y, 3
  %x = add i64 %left, %local.x
  %y = add i64 %above, %local.y
  %line = mul i64 %y, %n
  %index = add i64 %line, %x
  %from.at = getelementptr float, ptr addrspace(1) %from, i64 %index
  %value = load float, ptr addrspace(1) %from.at
  %to.at = getelementptr float, ptr addrspace(1) %to, i64 %index
  store float %value, ptr addrspace(1) %to.at
  ret void
}

; Rows of 16 elements: the next group in dimension 0 writes a line that is near.
; CHECK: define void @narrow({{.*}}) [[AS_USUAL]]
define void @narrow(ptr addrspace(1) %to, float %value) #0 {
  %group.x = call i64 @__lockstep_group_id(i32 0)
  %group.y = call i64 @__lockstep_group_id(i32 1)
  %local.x = call i64 @__lockstep_local_id(i32 0)
  %local.y = call i64 @__lockstep_local_id(i32 1)
  %left = shl i64 %group.x, 4
  %above = shl i64 %group.y, 3
  %x = add i64 %left, %local.x
  %y = add i64 %above, %local.y
  %line = mul i64 %x, 16
  %index = add i64 %line, %y
  %to.at = getelementptr float, ptr addrspace(1) %to, i64 %index
  store float %value, ptr addrspace(1) %to.at
  ret void
}

; An update is not a store, and other code may rely on its order.
; CHECK: define void @updates({{.*}}) [[AS_USUAL]]
define void @updates(ptr addrspace(1) %to, i64 %n) #0 {
  %group.x = call i64 @__lockstep_group_id(i32 0)
  %group.y = call i64 @__lockstep_group_id(i32 1)
  %local.x = call i64 @__lockstep_local_id(i32 0)
  %local.y = call i64 @__lockstep_local_id(i32 1)
  %left = shl i64 %group.x, 4
  %above = shl i64 %group.y, 3
  %x = add i64 %left, %local.x
  %y = add i64 %above, %local.y
  %line = mul i64 %x, %n
  %index = add i64 %line, %y
  %to.at = getelementptr i32, ptr addrspace(1) %to, i64 %index
  %old = atomicrmw add ptr addrspace(1) %to.at, i32 1 monotonic
  ret void
}

; CHECK: attributes [[ALONG_1]] = { "lockstep-first-dimension"="1" "lockstep-local-size"="16,8,1" }
; CHECK: attributes [[AS_USUAL]] = { "lockstep-local-size"="16,8,1" }
attributes #0 = { "lockstep-local-size"="16,8,1" }
