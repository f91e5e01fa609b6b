; RUN: lockstep-opt -quiet -passes='isolate-group-operations,print<barrier-regions>' %s | FileCheck %s

; CHECK: region 0: %entry -> end
; CHECK-NOT: region 1
define void @kernel() {
entry:
  ret void
}
