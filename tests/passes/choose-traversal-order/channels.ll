; RUN: lockstep-opt -passes='choose-traversal-order' %s | FileCheck %s
; Async copies of one channel of interleaved data: the next group's wants the elements in between.

declare i64 @__lockstep_group_id(i32)
declare void @__lockstep_group_copy(ptr addrspace(4), ptr addrspace(4), i64, i64, i64, i64)

; The channel is the group's number in dimension 1, the place in the row that in dimension 0.
; CHECK: define void @channels({{.*}}) [[ALONG_1:#[0-9]+]]
define void @channels(ptr addrspace(1) %image, ptr addrspace(3) %line, i32 %columns, i64 %channels, i64 %pitch) {
  %x = call i64 @__lockstep_group_id(i32 0)
  %y = call i64 @__lockstep_group_id(i32 2)
  %c = call i64 @__lockstep_group_id(i32 1)
  %narrow = trunc i64 %x to i32
  %column = mul i32 %narrow, %columns
  %wide.column = zext i32 %column to i64
  %above = mul i64 %y, %pitch
  %at = add i64 %above, %wide.column
  %element = mul i64 %at, %channels
  %narrow.c = trunc i64 %c to i32
  %channel = zext i32 %narrow.c to i64
  %index = add i64 %element, %channel
  %from = getelementptr i32, ptr addrspace(1) %image, i64 %index
  %generic.from = addrspacecast ptr addrspace(1) %from to ptr addrspace(4)
  %to = addrspacecast ptr addrspace(3) %line to ptr addrspace(4)
  call void @__lockstep_group_copy(ptr addrspace(4) %to, ptr addrspace(4) %generic.from, i64 64, i64 1, i64 %channels, i64 4)
  call void @__lockstep_group_copy(ptr addrspace(4) %generic.from, ptr addrspace(4) %to, i64 64, i64 %channels, i64 1, i64 4)
  ret void
}

; CHECK: define void @channels_in_dimension_2({{.*}}) [[ALONG_2:#[0-9]+]]
define void @channels_in_dimension_2(ptr addrspace(1) %image, ptr addrspace(3) %line) {
  %x = call i64 @__lockstep_group_id(i32 0)
  %c = call i64 @__lockstep_group_id(i32 2)
  %element = mul i64 %x, 192
  %channel = and i64 %c, 4294967295
  %index = add i64 %element, %channel
  %from = getelementptr i32, ptr addrspace(1) %image, i64 %index
  %generic.from = addrspacecast ptr addrspace(1) %from to ptr addrspace(4)
  %to = addrspacecast ptr addrspace(3) %line to ptr addrspace(4)
  call void @__lockstep_group_copy(ptr addrspace(4) %to, ptr addrspace(4) %generic.from, i64 64, i64 1, i64 3, i64 4)
  ret void
}

; In dimension 0 already; of one piece; another line; not known; another address for one of two copies.
; CHECK: define void @in_order(ptr addrspace(1) %image, ptr addrspace(3) %line) {
define void @in_order(ptr addrspace(1) %image, ptr addrspace(3) %line) {
  %c = call i64 @__lockstep_group_id(i32 0)
  %from = getelementptr i32, ptr addrspace(1) %image, i64 %c
  %generic.from = addrspacecast ptr addrspace(1) %from to ptr addrspace(4)
  %to = addrspacecast ptr addrspace(3) %line to ptr addrspace(4)
  call void @__lockstep_group_copy(ptr addrspace(4) %to, ptr addrspace(4) %generic.from, i64 64, i64 1, i64 3, i64 4)
  ret void
}

; CHECK: define void @one_piece(ptr addrspace(1) %image, ptr addrspace(3) %line) {
define void @one_piece(ptr addrspace(1) %image, ptr addrspace(3) %line) {
  %c = call i64 @__lockstep_group_id(i32 1)
  %from = getelementptr i32, ptr addrspace(1) %image, i64 %c
  %generic.from = addrspacecast ptr addrspace(1) %from to ptr addrspace(4)
  %to = addrspacecast ptr addrspace(3) %line to ptr addrspace(4)
  call void @__lockstep_group_copy(ptr addrspace(4) %to, ptr addrspace(4) %generic.from, i64 64, i64 1, i64 1, i64 4)
  ret void
}

; CHECK: define void @other_lines(ptr addrspace(1) %image, ptr addrspace(3) %line) {
define void @other_lines(ptr addrspace(1) %image, ptr addrspace(3) %line) {
  %c = call i64 @__lockstep_group_id(i32 1)
  %index = mul i64 %c, 16
  %from = getelementptr i32, ptr addrspace(1) %image, i64 %index
  %generic.from = addrspacecast ptr addrspace(1) %from to ptr addrspace(4)
  %to = addrspacecast ptr addrspace(3) %line to ptr addrspace(4)
  call void @__lockstep_group_copy(ptr addrspace(4) %to, ptr addrspace(4) %generic.from, i64 64, i64 1, i64 3, i64 4)
  ret void
}

; CHECK: define void @unknown(ptr addrspace(1) %image, ptr addrspace(3) %line, i64 %distance) {
define void @unknown(ptr addrspace(1) %image, ptr addrspace(3) %line, i64 %distance) {
  %c = call i64 @__lockstep_group_id(i32 1)
  %index = mul i64 %c, %distance
  %from = getelementptr i32, ptr addrspace(1) %image, i64 %index
  %generic.from = addrspacecast ptr addrspace(1) %from to ptr addrspace(4)
  %to = addrspacecast ptr addrspace(3) %line to ptr addrspace(4)
  call void @__lockstep_group_copy(ptr addrspace(4) %to, ptr addrspace(4) %generic.from, i64 64, i64 1, i64 3, i64 4)
  ret void
}

; CHECK: define void @one_of_two(ptr addrspace(1) %image, ptr addrspace(3) %line) {
define void @one_of_two(ptr addrspace(1) %image, ptr addrspace(3) %line) {
  %c = call i64 @__lockstep_group_id(i32 1)
  %from = getelementptr i32, ptr addrspace(1) %image, i64 %c
  %generic.from = addrspacecast ptr addrspace(1) %from to ptr addrspace(4)
  %to = addrspacecast ptr addrspace(3) %line to ptr addrspace(4)
  call void @__lockstep_group_copy(ptr addrspace(4) %to, ptr addrspace(4) %generic.from, i64 64, i64 1, i64 3, i64 4)
  %all = addrspacecast ptr addrspace(1) %image to ptr addrspace(4)
  call void @__lockstep_group_copy(ptr addrspace(4) %to, ptr addrspace(4) %all, i64 64, i64 1, i64 3, i64 4)
  ret void
}

; CHECK: define void @waiting(ptr addrspace(1) %image, ptr addrspace(3) %line) [[WAITING:#[0-9]+]]
define void @waiting(ptr addrspace(1) %image, ptr addrspace(3) %line) "lockstep-form"="resumable" {
  %c = call i64 @__lockstep_group_id(i32 1)
  %from = getelementptr i32, ptr addrspace(1) %image, i64 %c
  %generic.from = addrspacecast ptr addrspace(1) %from to ptr addrspace(4)
  %to = addrspacecast ptr addrspace(3) %line to ptr addrspace(4)
  call void @__lockstep_group_copy(ptr addrspace(4) %to, ptr addrspace(4) %generic.from, i64 64, i64 1, i64 3, i64 4)
  ret void
}

; CHECK-DAG: attributes [[ALONG_1]] = { "lockstep-first-dimension"="1" }
; CHECK-DAG: attributes [[ALONG_2]] = { "lockstep-first-dimension"="2" }
; CHECK-DAG: attributes [[WAITING]] = { "lockstep-form"="resumable" }
