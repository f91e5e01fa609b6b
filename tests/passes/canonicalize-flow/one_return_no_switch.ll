; RUN: lockstep-opt -passes=canonicalize-flow %s | FileCheck %s
; CHECK-LABEL: @kernel
; CHECK-NOT: switch i32
; CHECK-NOT: unreachable
; CHECK: ret void
; CHECK-NOT: ret void
define void @kernel(i32 %n) "lockstep-sub-group-size"="4" {
entry:
  switch i32 %n, label %other [ i32 0, label %zero
                                i32 1, label %one ]
zero:
  ret void
one:
  unreachable
other:
  ret void
}
