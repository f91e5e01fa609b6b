; RUN: lockstep-opt -quiet '-passes=answer-sub-group-queries,print<sub-group-uniformity>' %s | FileCheck %s
; What the number is made of is the same for all lanes, so addresses made of it are contiguous.

; CHECK: uniform {{.*}}@__lockstep_local_id(i32 0)
; CHECK: uniform {{.*}}%sub.group.id = trunc
; CHECK: uniform {{.*}}%place = getelementptr
define ptr @kernel(ptr %p) "lockstep-sub-group-size"="16" {
  %id = call i32 @__lockstep_sub_group_id()
  %place = getelementptr i32, ptr %p, i32 %id
  ret ptr %place
}

declare i32 @__lockstep_sub_group_id() nounwind willreturn memory(none)
