; RUN: lockstep-opt -quiet '-passes=print<sub-group-uniformity>' %s | FileCheck %s
; What comes out of a ballot, a broadcast or a reduction is the same for all lanes that got there, whatever went in.

; CHECK: divergent  %lane
; CHECK: uniform  {{ *}}%bits
; CHECK: uniform  {{ *}}%first
; CHECK: uniform  {{ *}}%sum
; CHECK: divergent  %of.cluster
; CHECK: divergent  %before
; CHECK: divergent  %swapped
; CHECK: uniform  {{ *}}%id
define void @kernel() "lockstep-sub-group-size"="8" {
  %lane = call i64 @__lockstep_lane()
  %narrow = trunc i64 %lane to i32
  %odd = trunc i64 %lane to i1
  %bits = call i64 @__lockstep_sub_group_ballot(i1 %odd)
  %first = call i32 @__lockstep_sub_group_broadcast_i32(i32 %narrow, i32 %narrow)
  %sum = call i32 @__lockstep_sub_group_reduce_i32(i32 0, i32 0, i32 %narrow)
  %of.cluster = call i32 @__lockstep_sub_group_reduce_i32(i32 0, i32 4, i32 1)
  %before = call i32 @__lockstep_sub_group_scan_i32(i32 0, i32 1, i32 1)
  %swapped = call i32 @__lockstep_sub_group_shuffle_i32(i32 %narrow, i32 3)
  %id = call i32 @__lockstep_sub_group_id()
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare i64 @__lockstep_sub_group_ballot(i1) convergent nomerge nounwind willreturn memory(none)
declare i32 @__lockstep_sub_group_broadcast_i32(i32, i32) convergent nomerge nounwind willreturn memory(none)
declare i32 @__lockstep_sub_group_reduce_i32(i32, i32, i32) convergent nomerge nounwind willreturn memory(none)
declare i32 @__lockstep_sub_group_scan_i32(i32, i32, i32) convergent nomerge nounwind willreturn memory(none)
declare i32 @__lockstep_sub_group_shuffle_i32(i32, i32) convergent nomerge nounwind willreturn memory(none)
declare i32 @__lockstep_sub_group_id() nounwind willreturn memory(none)
