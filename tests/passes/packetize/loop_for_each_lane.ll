; RUN: lockstep-opt -passes='packetize' %s | FileCheck %s
; A loop that serialize-loops took out is called in a loop over the lanes, also where all are active; what differs
; between them stands in memory, stored once, and so do their results. Bits do not: there they would share a byte.

; CHECK-LABEL: @kernel
; CHECK: %[[RESULTS:.*]] = alloca <4 x i64>, align 32, !lockstep.sub.group.variable
; CHECK: %[[MEMORY:.*]] = alloca <4 x i64>, align 32
; CHECK: store <4 x i64> %{{.*}}, ptr %[[MEMORY]]
; CHECK: lanes:
; CHECK: %[[AT:.*]] = getelementptr inbounds i64, ptr %[[MEMORY]], i64 %this.lane
; CHECK: %[[ONE:.*]] = load i64, ptr %[[AT]]
; CHECK: %[[BIT:.*]] = extractelement <4 x i1> %{{.*}}, i64 %this.lane
; CHECK: %[[SUM:.*]] = call i64 @serial.loop(ptr addrspace(1) %p, i64 %[[ONE]], i1 %[[BIT]])
; CHECK: %[[TO:.*]] = getelementptr inbounds i64, ptr %[[RESULTS]], i64 %this.lane
; CHECK: store i64 %[[SUM]], ptr %[[TO]]
; CHECK-NOT: call i64 @serial.loop
; CHECK: lanes.done:
; CHECK: load <4 x i64>, ptr %[[RESULTS]]
; CHECK: ret void
define void @kernel(ptr addrspace(1) %p) "lockstep-sub-group-size"="4" {
entry:
  %lane = call i64 @__lockstep_lane()
  %at = getelementptr i64, ptr addrspace(1) %p, i64 %lane
  %start = load i64, ptr addrspace(1) %at
  %bit = icmp eq i64 %start, 7
  %sum = call i64 @serial.loop(ptr addrspace(1) %p, i64 %start, i1 %bit)
  store i64 %sum, ptr addrspace(1) %at
  ret void
}

declare i64 @serial.loop(ptr addrspace(1), i64, i1) "lockstep-serial-loop"
declare i64 @__lockstep_lane() nounwind willreturn memory(none)
