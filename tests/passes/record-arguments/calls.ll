; RUN: lockstep-opt -passes=record-arguments %s | FileCheck %s
; What all must give alike is told of before the call, if it is no constant; events of copies and of waits always.

; CHECK-LABEL: define spir_kernel void @k
; CHECK: call void @__lockstep_record_argument(i64 %{{.*}}, i32 0)
; CHECK-NEXT: call spir_func void @_Z7barrierj(i32 %flags)
; CHECK-NEXT: call spir_func void @_Z7barrierj(i32 1)
; CHECK-NOT: record_argument
; What each gives for itself is none of it.
; CHECK: call void @__lockstep_record_argument(i64 %id, i32 [[ID:[0-9]+]])
; CHECK-NEXT: call spir_func i32 @_Z20work_group_broadcastim(i32 %flags, i64 %id)
; CHECK: [[TO:%.*]] = ptrtoint ptr addrspace(3) %to to i64
; CHECK: call void @__lockstep_record_argument(i64 [[TO]], i32
; CHECK: call void @__lockstep_record_argument(i64 %id, i32
; CHECK: [[FIRST:%.*]] = call target("spirv.Event") @__lockstep_record_copy(target("spirv.Event") zeroinitializer)
; CHECK: store target("spirv.Event") [[FIRST]], ptr %events
; CHECK: [[SECOND:%.*]] = call target("spirv.Event") @__lockstep_record_copy(target("spirv.Event") [[FIRST]])
; CHECK: [[AT:%.*]] = load target("spirv.Event"), ptr
; CHECK-NEXT: call void @__lockstep_record_awaited(target("spirv.Event") [[AT]])
; CHECK: [[NEXT:%.*]] = load target("spirv.Event"), ptr
; CHECK-NEXT: call void @__lockstep_record_awaited(target("spirv.Event") [[NEXT]])
; CHECK-NEXT: call spir_func void @_Z17wait_group_eventsiPU3AS49ocl_event(i32 2
; A number that is not known may be 0.
; CHECK: call void @__lockstep_record_awaited(target("spirv.Event") zeroinitializer)
; CHECK: icmp sgt i32 %flags, 0
; CHECK: call void @__lockstep_record_awaited(
; CHECK: call spir_func void @_Z17wait_group_eventsiPU3AS49ocl_event(i32 %flags
define spir_kernel void @k(i32 %flags, i64 %id, ptr addrspace(3) %to, ptr addrspace(1) %from) {
  %events = alloca [2 x target("spirv.Event")]
  call spir_func void @_Z7barrierj(i32 %flags)
  call spir_func void @_Z7barrierj(i32 1)
  %all = call spir_func i32 @_Z20work_group_broadcastim(i32 %flags, i64 %id)
  %first = call spir_func target("spirv.Event") @_Z21async_work_group_copyPU3AS3iPU3AS1Kim9ocl_event(ptr addrspace(3) %to, ptr addrspace(1) %from, i64 %id, target("spirv.Event") zeroinitializer)
  store target("spirv.Event") %first, ptr %events
  %second = call spir_func target("spirv.Event") @_Z21async_work_group_copyPU3AS3iPU3AS1Kim9ocl_event(ptr addrspace(3) %to, ptr addrspace(1) %from, i64 8, target("spirv.Event") %first)
  %list = addrspacecast ptr %events to ptr addrspace(4)
  call spir_func void @_Z17wait_group_eventsiPU3AS49ocl_event(i32 2, ptr addrspace(4) %list)
  call spir_func void @_Z17wait_group_eventsiPU3AS49ocl_event(i32 %flags, ptr addrspace(4) %list)
  ret void
}

declare spir_func void @_Z7barrierj(i32)
declare spir_func i32 @_Z20work_group_broadcastim(i32, i64)
declare spir_func target("spirv.Event") @_Z21async_work_group_copyPU3AS3iPU3AS1Kim9ocl_event(ptr addrspace(3), ptr addrspace(1), i64, target("spirv.Event"))
declare spir_func void @_Z17wait_group_eventsiPU3AS49ocl_event(i32, ptr addrspace(4))
