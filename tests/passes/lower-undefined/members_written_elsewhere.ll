; RUN: lockstep-opt -passes=lower-undefined -defined-members=1 %s | FileCheck %s
; A pointer that was found in memory may point anywhere: what is only read by its own pointer may be written by that one.

; CHECK: call i64 @__lockstep_check_object
; CHECK: call void @use(i32 %{{.*}})
; CHECK: !lockstep.pointer.members = !{![[MEMBERS:.*]]}
; CHECK: ![[MEMBERS]] = !{i64 0, i64 0, i64 1}
define spir_kernel void @lockstep.kernel(ptr %object) {
  %read = load ptr addrspace(4), ptr %object, align 8
  %bits = call i32 @__lockstep_undefined_load.i32.p4(ptr addrspace(4) align 4 %read)
  call void @use(i32 %bits)
  %found = load ptr addrspace(4), ptr addrspace(4) %read
  store i32 1, ptr addrspace(4) %found
  ret void
}

declare i32 @__lockstep_undefined_load.i32.p4(ptr addrspace(4))
declare void @use(i32) memory(none)
