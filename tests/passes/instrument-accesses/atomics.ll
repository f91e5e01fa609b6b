; RUN: lockstep-opt -passes=instrument-accesses %s | FileCheck %s
; In a kernel that synchronizes, the checker makes the atomics; in one that does not, it is only told.

; CHECK-LABEL: define spir_kernel void @counts
; CHECK: call void @__lockstep_check_access(
; CHECK: atomicrmw add ptr addrspace(1) %p, i32 1 monotonic
define spir_kernel void @counts(ptr addrspace(1) %p) {
  %a = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic
  %b = load i32, ptr addrspace(1) %p
  ret void
}

; Of the worker's copy: nobody else sees its address.
; CHECK-LABEL: define spir_kernel void @updates_a_copy
; CHECK-NOT: __lockstep_check
; CHECK: ret void
define spir_kernel void @updates_a_copy(ptr addrspace(1) %p, i64 %i) {
  %at = getelementptr i32, ptr addrspace(1) %p, i64 %i
  %a = atomicrmw add ptr addrspace(1) %at, i32 1 monotonic, !lockstep.privatized !{}
  ret void
}

; Where there is nothing to compare, nobody asks what they order.
; CHECK-LABEL: define spir_kernel void @only_synchronizes
; CHECK-NOT: __lockstep_check
; CHECK: ret void
define spir_kernel void @only_synchronizes(ptr addrspace(1) %p) {
  %a = atomicrmw add ptr addrspace(1) %p, i32 1 acq_rel
  fence release
  store atomic i32 %a, ptr addrspace(1) %p release, align 4
  ret void
}

; CHECK-LABEL: define spir_kernel void @synchronizes
; CHECK-NOT: atomic
; CHECK-NOT: cmpxchg
define spir_kernel void @synchronizes(ptr addrspace(1) %p, float %f, ptr addrspace(1) %data) {
; Of one address, once for all lanes.
; CHECK: %[[L:.*]] = call i64 @__lockstep_check_load(ptr addrspace(4) %{{.*}}, i64 1, ptr @{{.*}}, i64 %item, i64 0)
; CHECK: %[[A:.*]] = trunc i64 %[[L]] to i32
  %a = load atomic i32, ptr addrspace(1) %p acquire, align 4
; CHECK: %[[F:.*]] = bitcast float %f to i32
; CHECK: %[[W:.*]] = zext i32 %[[F]] to i64
; CHECK: call i64 @__lockstep_check_atomic(ptr addrspace(4) %{{.*}}, ptr @{{.*}}, i64 %item, i64 0, i64 %[[W]], i64 0)
  %b = atomicrmw fadd ptr addrspace(1) %p, float %f monotonic
; CHECK: %[[E:.*]] = zext i32 %[[A]] to i64
; CHECK: %[[S:.*]] = call i64 @__lockstep_check_atomic({{.*}}, i64 1, i64 %[[E]])
; CHECK: icmp eq i64 %[[S]], %[[E]]
  %pair = cmpxchg ptr addrspace(1) %p, i32 %a, i32 1 monotonic monotonic
  %done = extractvalue { i32, i1 } %pair, 1
; CHECK: call void @__lockstep_check_fence(i64 1, ptr @{{.*}}, i64 %item, i64 0)
; CHECK: fence release
  fence release
; What is volatile counts as atomic.
; CHECK: call i64 @__lockstep_check_atomic({{.*}}, i64 5, i64 0)
  store volatile i32 5, ptr addrspace(1) %p
; CHECK: call void @__lockstep_check_access(
; CHECK: store i32 1, ptr addrspace(1) %data
  store i32 1, ptr addrspace(1) %data
  ret void
}
