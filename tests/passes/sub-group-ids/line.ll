; RUN: lockstep-opt -passes=sub-group-ids --local-size=40,1,1 %s | FileCheck %s --check-prefix=LINE
; RUN: lockstep-opt -passes=sub-group-ids %s | FileCheck %s --check-prefix=ANY
; In a line of known length the id is a multiple of the width; else it is divided by sizes that are asked for.

; LINE-LABEL: @kernel
; LINE: %sub.group = call i64 @__lockstep_sub_group()
; LINE: %first.item = mul nuw i64 %sub.group, 16
; LINE: %items.left = sub i64 40, %first.item
; LINE: %active.lanes = call i64 @llvm.umin.i64(i64 %items.left, i64 16)
; LINE: %sum = add i64 %first.item, 0
; LINE-NOT: call i64 @__lockstep_local_id
; LINE-NOT: call i64 @__lockstep_active_lanes

; ANY-LABEL: @kernel
; ANY: %local.size = call i64 @__lockstep_local_size(i32 0)
; ANY: urem i32
; ANY: udiv i32
; ANY: urem i32
; ANY-NOT: call i64 @__lockstep_local_id
define i64 @kernel() "lockstep-sub-group-size"="16" {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %lanes = call i64 @__lockstep_active_lanes()
  %sum = add i64 %x, %y
  %result = add i64 %sum, %lanes
  ret i64 %result
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_active_lanes() nounwind willreturn memory(none)
