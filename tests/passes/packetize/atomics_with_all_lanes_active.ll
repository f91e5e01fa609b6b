; RUN: lockstep-opt -passes='packetize' %s | FileCheck %s
; Each lane has a counter of its own to raise. If the mask is full there is no loop: lane numbers are constants.

; CHECK-LABEL: @kernel
; CHECK: %all.active = icmp eq i4 %{{.*}}, -1
; CHECK: br i1 %all.active
; CHECK-COUNT-4: atomicrmw add
; CHECK-NOT: atomicrmw
; CHECK: lanes:
; CHECK: atomicrmw add
; CHECK-NOT: atomicrmw
; CHECK: ret void
define void @kernel(ptr addrspace(1) %p, ptr addrspace(1) %counters, i64 %n) "lockstep-sub-group-size"="4" {
entry:
  %lane = call i64 @__lockstep_lane()
  %active = icmp ult i64 %lane, %n
  call void @__lockstep_mask(i1 %active)
  %at = getelementptr i64, ptr addrspace(1) %p, i64 %lane
  %number = load i64, ptr addrspace(1) %at
  %counter = getelementptr i32, ptr addrspace(1) %counters, i64 %number
  %old = atomicrmw add ptr addrspace(1) %counter, i32 1 monotonic
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare void @__lockstep_mask(i1) convergent nounwind willreturn memory(inaccessiblemem: readwrite)
