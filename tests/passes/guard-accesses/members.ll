; RUN: lockstep-opt -passes='guard-accesses,verify' %s | FileCheck %s
; Where a pointer of a function object points to is asked once, at the beginning, wherever it is loaded.

; CHECK-LABEL: define spir_kernel void @member
; CHECK: %[[PLACE:.*]] = getelementptr i8, ptr %object, i64 8
; CHECK: %[[MEMBER:.*]] = load ptr addrspace(4), ptr %[[PLACE]]
; CHECK: call i64 @__lockstep_check_object(i32 {{[01]}}, ptr addrspace(4) %[[MEMBER]])
; CHECK: call i64 @__lockstep_check_object(i32 {{[01]}}, ptr addrspace(4) %{{.*}})
; CHECK: loop:
; CHECK-NOT: check_object
; CHECK: ret void
define spir_kernel void @member(ptr %object, i64 %i, i1 %c) {
entry:
  br label %loop
loop:
  %place = getelementptr i8, ptr %object, i64 8
  %from = load ptr addrspace(4), ptr %place, align 8
  %element = getelementptr i32, ptr addrspace(4) %from, i64 %i
  %value = load i32, ptr addrspace(4) %element
  %sum = add i32 %value, 1
  store i32 %sum, ptr addrspace(4) %element
  br i1 %c, label %loop, label %exit
exit:
  ret void
}
