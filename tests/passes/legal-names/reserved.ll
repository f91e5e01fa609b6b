; RUN: lockstep-opt -nvidia=sm_90 -passes=legal-names %s | FileCheck %s
; Variables without a name get one. A single `_` or `$` is no name in PTX, and WARP_SZ is a constant there: the driver of an
; H200 rejected `.shared .align 4 .u32 _;`.

; CHECK-DAG: @__ = internal addrspace(3) global i32 poison
; CHECK-DAG: @___ = internal addrspace(3) global i32 poison
; CHECK-DAG: @"$_" = global i32 1
; CHECK-DAG: @WARP_SZ_ = global i32 2
@0 = internal addrspace(3) global i32 poison
@1 = internal addrspace(3) global i32 poison
@"$" = global i32 1
@WARP_SZ = global i32 2
define void @kernel() {
  store i32 0, ptr addrspace(3) @0
  store i32 0, ptr addrspace(3) @1
  ret void
}
