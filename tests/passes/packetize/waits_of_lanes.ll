; RUN: lockstep-opt -passes=packetize %s | FileCheck %s
; A round of a loop that waits changed something if it did in one of the lanes that wait.

; The first lane stands for all in what they look at.
; CHECK-LABEL: @together
; CHECK: [[FIRST:%.*]] = extractelement <8 x i64>
; CHECK: call void @__lockstep_seen(ptr addrspace(4) %p, i64 [[FIRST]], i32 4)
; CHECK: [[CHANGED:%.*]] = select <8 x i1> [[ACTIVE:%.*]], <8 x i1> {{.*}}, <8 x i1> zeroinitializer
; CHECK: [[BITS:%.*]] = bitcast <8 x i1> [[CHANGED]] to i8
; CHECK: %any.changed = icmp ne i8 [[BITS]], 0
; CHECK: call void @__lockstep_wait(i32 0, i1 %any.changed)
define void @together(ptr addrspace(4) %p, i64 %n) "lockstep-sub-group-size"="8" {
  %lane = call i64 @__lockstep_lane()
  %active = icmp ult i64 %lane, %n
  %counts = icmp eq i64 %lane, 3
  br label %block
block:
  call void @__lockstep_mask(i1 %active)
  call void @__lockstep_seen(ptr addrspace(4) %p, i64 %lane, i32 4)
  call void @__lockstep_wait(i32 0, i1 %counts)
  ret void
}

; Their number was required, although they wait for different things: each lane tells.
; CHECK-LABEL: @apart
; CHECK: call void @__lockstep_seen(ptr addrspace(4) {{%.*}}, i64 0, i32 4)
; CHECK: call void @__lockstep_seen(ptr addrspace(4) {{%.*}}, i64 7, i32 4)
; CHECK: call void @__lockstep_wait(i32 0, i1 true)
define void @apart(ptr addrspace(4) %p, i64 %n) "lockstep-sub-group-size"="8" "lockstep-lanes-wait-for-each-other" {
  %lane = call i64 @__lockstep_lane()
  %place = getelementptr i32, ptr addrspace(4) %p, i64 %lane
  call void @__lockstep_seen(ptr addrspace(4) %place, i64 %lane, i32 4)
  call void @__lockstep_wait(i32 0, i1 true)
  ret void
}

; Lanes that wait for one value, such as the ticket of the only one, record it. For different values, the record says at
; run time that any change counts (4, without the comparison).
; CHECK-LABEL: @ends
; CHECK: call void @__lockstep_ends_with(i64 %n, i32 20)
; CHECK: [[FIRST:%.*]] = extractelement <8 x i64> {{.*}}, i64 %first.lane
; CHECK: [[SPLAT:%.*]] = shufflevector <8 x i64>
; CHECK: [[OTHER:%.*]] = icmp ne <8 x i64> {{.*}}, [[SPLAT]]
; CHECK: select <8 x i1> {{.*}}, <8 x i1> [[OTHER]], <8 x i1> zeroinitializer
; CHECK: %one.value = icmp eq i8 {{.*}}, 0
; CHECK: [[WHICH:%.*]] = select i1 %one.value, i32 20, i32 4
; CHECK: call void @__lockstep_ends_with(i64 [[FIRST]], i32 [[WHICH]])
; CHECK: ret void
define void @ends(i64 %n) "lockstep-sub-group-size"="8" {
  %lane = call i64 @__lockstep_lane()
  %active = icmp ult i64 %lane, %n
  br label %block
block:
  call void @__lockstep_mask(i1 %active)
  call void @__lockstep_ends_with(i64 %n, i32 20)
  call void @__lockstep_ends_with(i64 %lane, i32 20)
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare void @__lockstep_mask(i1)
declare void @__lockstep_seen(ptr addrspace(4), i64, i32) convergent nounwind
declare void @__lockstep_ends_with(i64, i32) convergent nounwind
declare void @__lockstep_wait(i32, i1) convergent nounwind
