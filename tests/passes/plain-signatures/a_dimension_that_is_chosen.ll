; Which dimension is asked for may be data: all three are passed.
; RUN: lockstep-opt -passes=plain-signatures %s | FileCheck %s

; CHECK-LABEL: define internal i64 @chosen(
; CHECK-SAME: i32 %d, i64 %group_id, i64 %group_id1, i64 %group_id2)
; CHECK: %[[ONE:.*]] = select i1 %{{.*}}, i64 %group_id1, i64 %group_id2
; CHECK: %[[ANY:.*]] = select i1 %{{.*}}, i64 %group_id, i64 %[[ONE]]
; CHECK: ret i64 %[[ANY]]
define internal i64 @chosen(i32 %d) #0 {
  %id = call i64 @__lockstep_group_id(i32 %d)
  ret i64 %id
}

; CHECK-LABEL: define spir_kernel void @kernel
; CHECK: call i64 @__lockstep_group_id(i32 0)
; CHECK: call i64 @__lockstep_group_id(i32 1)
; CHECK: call i64 @__lockstep_group_id(i32 2)
; CHECK: call i64 @chosen(
define spir_kernel void @kernel(ptr addrspace(1) %out, i32 %d) {
  %r = call i64 @chosen(i32 %d)
  store i64 %r, ptr addrspace(1) %out
  ret void
}

declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)
attributes #0 = { "lockstep-out-of-line" }
