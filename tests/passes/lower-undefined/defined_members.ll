; RUN: lockstep-opt -passes=lower-undefined -defined-members=7 %s | FileCheck %s
; RUN: lockstep-opt -passes=lower-undefined %s | FileCheck %s --check-prefix=FOLLOWED
; The function object's first three pointers are to memory of which all bytes are defined; by the first two the kernel only
; reads. By the third one it writes, and the fourth is not known.

@site = internal global i32 0

; CHECK-LABEL: define spir_kernel void @lockstep.kernel
; CHECK: getelementptr i8, ptr %object, i64 24
; CHECK: %[[WRITTEN:.*]] = getelementptr i8, ptr %object, i64 16
; CHECK: %[[PLACE:.*]] = load ptr addrspace(4), ptr %[[WRITTEN]]
; CHECK: call i64 @__lockstep_check_object(i32 2, ptr addrspace(4) %[[PLACE]])
; CHECK-NOT: check_object
; CHECK: call void @use(i32 0)
; CHECK-NEXT: call void @use(i32 0)
; CHECK: call void @use(i32 %{{.*}})
; CHECK: call void @use(i32 %{{.*}})
; CHECK: !lockstep.pointer.members = !{![[MEMBERS:.*]]}
; CHECK: ![[MEMBERS]] = !{i64 11, i64 4, i64 0}

; FOLLOWED: define spir_kernel void @lockstep.kernel
; FOLLOWED-NOT: call void @use(i32 0)
; FOLLOWED: ![[MEMBERS:.*]] = !{i64 11, i64 4, i64 0}
define spir_kernel void @lockstep.kernel(ptr %object, i64 %i) {
  %variable = alloca i32
  %read = load ptr addrspace(4), ptr %object, align 8
  %read.place = getelementptr i32, ptr addrspace(4) %read, i64 %i
  %read.bits = call i32 @__lockstep_undefined_load.i32.p4(ptr addrspace(4) align 4 %read.place)
  %value = load i32, ptr addrspace(4) %read.place
  store i32 %value, ptr %variable
  %second = getelementptr i8, ptr %object, i64 8
  %other = load ptr addrspace(4), ptr %second, align 8
  %other.bits = call i32 @__lockstep_undefined_load.i32.p4(ptr addrspace(4) align 4 %other)
  call void @use(i32 %read.bits)
  call void @use(i32 %other.bits)
  %third = getelementptr i8, ptr %object, i64 16
  %written = load ptr addrspace(4), ptr %third, align 8
  %written.bits = call i32 @__lockstep_undefined_load.i32.p4(ptr addrspace(4) align 4 %written)
  call void @use(i32 %written.bits)
  %again = load ptr addrspace(4), ptr %third, align 8
  store i32 %value, ptr addrspace(4) %again
  %fourth = getelementptr i8, ptr %object, i64 24
  %unknown = load ptr addrspace(4), ptr %fourth, align 8
  %unknown.bits = call i32 @__lockstep_undefined_load.i32.p4(ptr addrspace(4) align 4 %unknown)
  call void @use(i32 %unknown.bits)
  ret void
}

declare i32 @__lockstep_undefined_load.i32.p4(ptr addrspace(4))
declare void @use(i32) memory(none)
