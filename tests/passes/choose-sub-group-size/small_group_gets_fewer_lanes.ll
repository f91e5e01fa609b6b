; RUN: env LOCKSTEP_SUB_GROUP_SIZE=16 lockstep-opt -passes=choose-sub-group-size --local-size=3,2,1 %s | FileCheck %s
; Six work-items need eight lanes, not sixteen.

; CHECK: "lockstep-sub-group-size"="8"
define void @kernel() {
  ret void
}
