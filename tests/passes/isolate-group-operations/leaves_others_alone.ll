; RUN: lockstep-opt -passes=isolate-group-operations %s | FileCheck %s

; CHECK-LABEL: @kernel
; CHECK-NEXT: entry:
; CHECK-NEXT: %x = call i64 @__lockstep_local_id(i32 0)
; CHECK-NEXT: ret i64 %x
; CHECK-NEXT: }
define i64 @kernel() {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  ret i64 %x
}

declare i64 @__lockstep_local_id(i32)
