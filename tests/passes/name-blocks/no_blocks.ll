; RUN: lockstep-opt -passes=name-blocks %s | FileCheck %s
; A function that is no block keeps its address, and so does nothing else change.

; CHECK-NOT: constant
; CHECK: call void @take(ptr @helper)
define void @kernel() {
  call void @take(ptr @helper)
  ret void
}

define internal void @helper() {
  ret void
}

declare void @take(ptr)
