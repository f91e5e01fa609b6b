; RUN: lockstep-opt -passes=specialize-local-size %s | FileCheck %s
; Without a known size only the limits of the device hold; a dimension that is not a constant stays a call too.

; CHECK: call range(i64 0, 4096) i64 @__lockstep_local_id(i32 0)
; CHECK: call range(i64 1, 4097) i64 @__lockstep_local_size(i32 %d)
define i64 @kernel(i32 %d) {
  %x = call i64 @__lockstep_local_id(i32 0)
  %a = call i64 @__lockstep_local_size(i32 %d)
  %r = add i64 %a, %x
  ret i64 %r
}

declare i64 @__lockstep_local_id(i32)
declare i64 @__lockstep_local_size(i32)
