; RUN: lockstep-opt -passes=instrument-accesses %s | FileCheck %s
; Packets are compared, even if the kernel only reads them: who commits them lets others write. The ring's atomics are left as they
; are, and are none that order anything else.

; CHECK-LABEL: define spir_kernel void @read
; CHECK-NOT: record_packets
; CHECK-NOT: check_atomic
; CHECK: %state = load atomic i64, ptr addrspace(1) %pipe acquire, align 8
; CHECK-NEXT: [[RING:%.*]] = addrspacecast ptr addrspace(1) %pipe to ptr addrspace(4)
; CHECK-NEXT: call void @__lockstep_check_packets(ptr addrspace(4) [[RING]], i64 %state, i64 1, ptr @{{.*}}, i64 %item, i64 0)
; CHECK-NEXT: %p = getelementptr i8, ptr addrspace(1) %pipe, i64 %state
; CHECK: call void @__lockstep_check_access(ptr addrspace(4) {{.*}}, i64 0, i64 1, ptr @{{.*}}, i64 %item, i64 0)
; CHECK-NEXT: load i32, ptr addrspace(1) %p
; CHECK-NOT: check_access
; CHECK: store i32
; CHECK: call void @__lockstep_check_packets(ptr addrspace(4) {{.*}}, i64 %state, i64 1, ptr @{{.*}}, i64 %item, i64 0)
; CHECK-NEXT: store atomic i64 %state, ptr addrspace(1) %pipe release, align 8
; CHECK-NEXT: ret void
define spir_kernel void @read(ptr addrspace(1) "lockstep-pipe" %pipe, ptr addrspace(1) %to) "lockstep-local-size"="64,1,1" {
  %id = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %first = shl i64 %group, 6
  %i = or disjoint i64 %first, %id
  %state = load atomic i64, ptr addrspace(1) %pipe acquire, align 8
  %told = call i64 @__lockstep_record_packets(i64 %state, ptr addrspace(1) %pipe, i32 1, i32 1)
  %p = getelementptr i8, ptr addrspace(1) %pipe, i64 %told
  %a = load i32, ptr addrspace(1) %p
  %q = getelementptr i32, ptr addrspace(1) %to, i64 %i
  store i32 %a, ptr addrspace(1) %q
  %number = call i64 @__lockstep_record_packets(i64 %told, ptr addrspace(1) %pipe, i32 1, i32 3)
  store atomic i64 %number, ptr addrspace(1) %pipe release, align 8
  ret void
}

; Of either of two pipes.
; CHECK-LABEL: define spir_kernel void @one_of_two
; CHECK-NOT: check_
; CHECK: ret void
define spir_kernel void @one_of_two(ptr addrspace(1) "lockstep-pipe" %pipe, ptr addrspace(1) "lockstep-pipe" %other, i1 %which) "lockstep-local-size"="64,1,1" {
  %p = select i1 %which, ptr addrspace(1) %pipe, ptr addrspace(1) %other
  %a = atomicrmw add ptr addrspace(1) %p, i64 1 acq_rel
  ret void
}

; CHECK-LABEL: define spir_kernel void @pipe_or_not
; CHECK: call i64 @__lockstep_check_atomic(
; CHECK: ret void
define spir_kernel void @pipe_or_not(ptr addrspace(1) "lockstep-pipe" %pipe, ptr addrspace(1) %other, i1 %which) "lockstep-local-size"="64,1,1" {
  %p = select i1 %which, ptr addrspace(1) %pipe, ptr addrspace(1) %other
  %a = atomicrmw add ptr addrspace(1) %p, i64 1 acq_rel
  store i64 1, ptr addrspace(1) %other
  ret void
}

declare i64 @__lockstep_record_packets(i64, ptr addrspace(1), i32, i32)
declare i64 @__lockstep_local_id(i32)
declare i64 @__lockstep_group_id(i32)
