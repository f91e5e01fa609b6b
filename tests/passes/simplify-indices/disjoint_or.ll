; RUN: lockstep-opt -passes=simplify-indices %s | FileCheck %s
; The branch makes the bits disjoint, in lanes that take it. Lane 0 may not, and its sum is the base of all.

; CHECK: %sum = add nuw nsw i64 %i, %small
; CHECK: %other = or i64 %i, %small
define i64 @kernel(i64 %i, i64 %small) "lockstep-sub-group-size"="16" {
  %sum = or disjoint i64 %i, %small
  %other = or i64 %i, %small
  %a = xor i64 %sum, %other
  ret i64 %a
}
