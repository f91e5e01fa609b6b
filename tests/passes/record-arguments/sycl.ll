; RUN: lockstep-opt -passes=record-arguments %s | FileCheck %s
; SYCL's events are numbers.

; CHECK-LABEL: define spir_kernel void @sycl
; CHECK: [[EVENT:%.*]] = call i64 @__lockstep_record_copy(i64 0)
; CHECK: call void @__lockstep_record_awaited(i64 [[EVENT]])
define spir_kernel void @sycl(ptr addrspace(4) %to, ptr addrspace(4) %from) {
  %event = call spir_func i64 @_Z21async_work_group_copyPU3AS4vPU3AS4Kvmmmmm(ptr addrspace(4) %to, ptr addrspace(4) %from, i64 8, i64 1, i64 1, i64 4, i64 0)
  call spir_func void @_Z17wait_group_eventsm(i64 %event)
  ret void
}

declare spir_func i64 @_Z21async_work_group_copyPU3AS4vPU3AS4Kvmmmmm(ptr addrspace(4), ptr addrspace(4), i64, i64, i64, i64, i64)
declare spir_func void @_Z17wait_group_eventsm(i64)
