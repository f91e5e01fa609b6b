; RUN: env LOCKSTEP_CHECK=races lockstep-opt -passes=lower-image-types %s | FileCheck %s
; RUN: lockstep-opt -passes=lower-image-types %s | FileCheck %s --check-prefix=UNCHECKED
; Who checks is told of packets, and knows which arguments are pipes. Else nothing is left of that.

; CHECK-LABEL: define spir_kernel void @kernel(ptr addrspace(1) "lockstep-pipe" %pipe, ptr addrspace(1) %to)
; CHECK: [[TOLD:%.*]] = call i64 @__lockstep_record_packets(i64 7, ptr addrspace(1) %pipe, i32 1, i32 0) [[EFFECTS:#.*]]
; CHECK: store i64 [[TOLD]]
; CHECK: attributes [[EFFECTS]] = { memory(inaccessiblemem: readwrite) }
; UNCHECKED-LABEL: define spir_kernel void @kernel(ptr addrspace(1) %pipe, ptr addrspace(1) %to)
; UNCHECKED-NEXT: store i64 7
; UNCHECKED-NOT: tell
define spir_kernel void @kernel(target("spirv.Pipe", 1) %pipe, ptr addrspace(1) %to) {
  %ring = call ptr addrspace(1) @__lockstep_pipe_wo(target("spirv.Pipe", 1) %pipe)
  %told = call i64 @__lockstep_record_packets(i64 7, ptr addrspace(1) %ring, i32 1, i32 0) #0
  store i64 %told, ptr addrspace(1) %to
  ret void
}

declare ptr addrspace(1) @__lockstep_pipe_wo(target("spirv.Pipe", 1))
declare i64 @__lockstep_record_packets(i64, ptr addrspace(1), i32, i32) #0
attributes #0 = { memory(none) }
