; RUN: lockstep-opt -passes=instrument-accesses %s | FileCheck %s
; An address with a number of more than 64 bits is compared: here 5 times 2^62, in work-item 5 of each group.

; CHECK-LABEL: define spir_kernel void @one_item
; CHECK: call void @__lockstep_check_access(
; CHECK: ret void
define spir_kernel void @one_item(ptr addrspace(1) %to, i64 %n) "lockstep-local-size"="64,1,1" {
  %id = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %is_fifth = icmp eq i64 %id, 5
  br i1 %is_fifth, label %then, label %end
then:
  %far = mul nuw nsw i64 %id, 4611686018427387904
  %place = add nuw nsw i64 %far, %group
  %p = getelementptr i8, ptr addrspace(1) %to, i64 %place
  store i8 1, ptr addrspace(1) %p
  br label %end
end:
  ret void
}

; CHECK-LABEL: define spir_kernel void @one_item_near
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @one_item_near(ptr addrspace(1) %to, i64 %n) "lockstep-local-size"="64,1,1" {
  %id = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %is_fifth = icmp eq i64 %id, 5
  br i1 %is_fifth, label %then, label %end
then:
  %far = mul nuw nsw i64 %id, 1024
  %place = add nuw nsw i64 %far, %group
  %p = getelementptr i8, ptr addrspace(1) %to, i64 %place
  store i8 1, ptr addrspace(1) %p
  br label %end
end:
  ret void
}

declare i64 @__lockstep_local_id(i32)
declare i64 @__lockstep_group_id(i32)
