; RUN: lockstep-opt -nvidia=sm_90 -passes=choose-warp-shape %s | FileCheck %s
; Adjacent elements of neighbors in dimension 0 need a row, which has no attribute. Adjacent bytes in dimension 1 need a
; column. A transposition needs both. Local memory does not count.

; CHECK: define void @row({{.*}}) {
define void @row(ptr addrspace(1) %p, ptr addrspace(3) %l) {
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %place = getelementptr float, ptr addrspace(1) %p, i64 %x
  store float 1.0, ptr addrspace(1) %place
  %other = getelementptr float, ptr addrspace(3) %l, i64 %y
  store float 1.0, ptr addrspace(3) %other
  ret void
}
; CHECK: define void @column({{.*}}) [[COLUMN:#[0-9]+]]
define void @column(ptr addrspace(1) %p, i64 %pitch) {
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %row = mul i64 %x, %pitch
  %index = add i64 %row, %y
  %place = getelementptr i8, ptr addrspace(1) %p, i64 %index
  store i8 1, ptr addrspace(1) %place
  ret void
}
; CHECK: define void @both({{.*}}) [[BOTH:#[0-9]+]]
define void @both(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %pitch) {
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %row = mul i64 %x, %pitch
  %index = add i64 %row, %y
  %place = getelementptr float, ptr addrspace(1) %p, i64 %index
  %other.row = mul i64 %y, %pitch
  %other.index = add i64 %other.row, %x
  %other = getelementptr float, ptr addrspace(1) %q, i64 %other.index
  %value = load float, ptr addrspace(1) %other
  store float %value, ptr addrspace(1) %place
  ret void
}
declare i64 @__lockstep_local_id(i32)
; CHECK-DAG: attributes [[COLUMN]] = { "lockstep-warp-shape"="1,32" }
; CHECK-DAG: attributes [[BOTH]] = { "lockstep-warp-shape"="8,4" }
