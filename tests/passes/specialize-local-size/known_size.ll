; RUN: lockstep-opt -passes=specialize-local-size --local-size=8,4,1 %s | FileCheck %s

; CHECK-LABEL: @kernel
; CHECK: %x = call range(i64 0, 8) i64 @__lockstep_local_id(i32 0)
; CHECK: %y = call range(i64 0, 4) i64 @__lockstep_local_id(i32 1)
; CHECK-NOT: local_size
; CHECK: %sum = add i64 8, 4
define i64 @kernel() {
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %a = call i64 @__lockstep_local_size(i32 0)
  %b = call i64 @__lockstep_enqueued_local_size(i32 1)
  %sum = add i64 %a, %b
  %xy = add i64 %x, %y
  %r = add i64 %xy, %sum
  ret i64 %r
}

declare i64 @__lockstep_local_id(i32)
declare i64 @__lockstep_local_size(i32)
declare i64 @__lockstep_enqueued_local_size(i32)
