; What vector-variants has marked is interleaved, and so are distances from an address that a function is given. The address
; of lane 0's element that is passed on stays where it is, beside it.
; RUN: lockstep-opt -passes=interleave-private %s | FileCheck %s

; CHECK-LABEL: define void @kernel
; CHECK: %words.of.lanes = alloca [16 x i32], align 16, !lockstep.sub.group.variable
; CHECK: %[[LANE:.*]] = call i64 @__lockstep_lane()
; CHECK: %[[AHEAD:.*]] = mul i64 %[[LANE]], 4
; CHECK: %[[WORDS:.*]] = getelementptr i8, ptr %words.of.lanes, i64 %[[AHEAD]]
; CHECK: %[[SECOND:.*]] = getelementptr i8, ptr %[[WORDS]], i64 16
; CHECK: %first = getelementptr i8, ptr %[[SECOND]], i64 %back
; CHECK: call void @f(ptr %first)
define void @kernel() #0 {
  %words = alloca [4 x i32], align 4, !lockstep.interleaved !0
  %lane = call i64 @__lockstep_lane()
  %second = getelementptr [4 x i32], ptr %words, i64 0, i64 1
  %back = mul i64 %lane, -4
  %first = getelementptr i8, ptr %second, i64 %back, !lockstep.address.of.first.lane !1
  call void @f(ptr %first)
  ret void
}

define internal void @f(ptr %p) #1 {
  store i32 1, ptr %p
  ret void
}

; CHECK-LABEL: define internal void @f.lanes
; CHECK: %p.of.lane = getelementptr i8, ptr %p, i64 %ahead, !lockstep.interleaved
; CHECK: %[[OFFSET:.*]] = mul i64 %index, 4
; CHECK: %[[SCALED:.*]] = mul i64 %[[OFFSET]], 4
; CHECK: %[[AT:.*]] = getelementptr i8, ptr %p.of.lane, i64 %[[SCALED]]
; CHECK: store i32 1, ptr %[[AT]], align 4
; CHECK: %[[THIRD:.*]] = getelementptr i8, ptr %q.of.lane, i64 32
; CHECK: load i32, ptr %[[THIRD]], align 4
define internal void @f.lanes(i4 %active.bits, ptr %p, <4 x ptr> %q, i64 %index) #2 {
  %lane = call i64 @__lockstep_lane()
  %ahead = mul i64 %lane, 4
  %p.of.lane = getelementptr i8, ptr %p, i64 %ahead, !lockstep.interleaved !0
  %q.of.lane = extractelement <4 x ptr> %q, i64 %lane, !lockstep.interleaved !0
  %at = getelementptr i32, ptr %p.of.lane, i64 %index
  store i32 1, ptr %at, align 8
  %third = getelementptr i8, ptr %q.of.lane, i64 8
  %value = load i32, ptr %third, align 8
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
attributes #0 = { "lockstep-sub-group-size"="4" }
attributes #1 = { "lockstep-out-of-line" "lockstep-vector-variant-name"="f.lanes" }
attributes #2 = { "lockstep-out-of-line" "lockstep-vector-variant" "lockstep-sub-group-size"="4" }
!0 = !{i64 4}
!1 = !{}
