; A name that is not in names.def, wherever it is.
; RUN: split-file %s %t
; RUN: not lockstep-opt -passes=verify-kernel-ir %t/attribute.ll 2>&1 | FileCheck %s --check-prefix=ATTRIBUTE
; RUN: not lockstep-opt -passes=verify-kernel-ir %t/call.ll 2>&1 | FileCheck %s --check-prefix=CALL
; RUN: not lockstep-opt -passes=verify-kernel-ir %t/module.ll 2>&1 | FileCheck %s --check-prefix=MODULE
; RUN: not lockstep-opt -passes=verify-kernel-ir %t/metadata.ll 2>&1 | FileCheck %s --check-prefix=METADATA
; RUN: not lockstep-opt -passes=verify-kernel-ir %t/symbol.ll 2>&1 | FileCheck %s --check-prefix=SYMBOL
; RUN: lockstep-opt -passes=verify-kernel-ir %t/known.ll

; ATTRIBUTE: not in names.def: lockstep-lanes
; CALL: not in names.def: lockstep-lanes
; MODULE: not in names.def: lockstep.sights
; METADATA: not in names.def: lockstep.nam
; SYMBOL: not in names.def: lockstep.helper

;--- attribute.ll
define void @kernel() "lockstep-lanes"="8" {
  ret void
}

;--- call.ll
define void @kernel() {
  call void @callee() "lockstep-lanes"
  ret void
}
declare void @callee()

;--- module.ll
!lockstep.sights = !{}
define void @kernel() {
  ret void
}

;--- metadata.ll
@variable = addrspace(1) global i32 0, !lockstep.nam !0
!0 = !{!"x"}
define void @kernel() {
  ret void
}

;--- symbol.ll
@lockstep.helper = addrspace(1) global i32 0
define void @kernel() {
  ret void
}

;--- known.ll
@lockstep.variable.3 = addrspace(1) global i32 0, !lockstep.name !0
!0 = !{!"x"}
define void @lockstep.kernel() "lockstep-sub-group-size"="8" {
  ret void
}
