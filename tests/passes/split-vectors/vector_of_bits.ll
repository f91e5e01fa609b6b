; RUN: lockstep-opt -passes='split-vectors,instsimplify,dce' %s | FileCheck %s
; Bits of a vector lie packed: bit 70 is bit 6 of byte 8.

; CHECK-LABEL: @kernel
; CHECK: [[PLACE:%.*]] = getelementptr {{.*}} 8
; CHECK: [[BYTE:%.*]] = load i8, ptr {{.*}}[[PLACE]]
; CHECK: [[BIT:%.*]] = lshr i8 [[BYTE]], 6
; CHECK: trunc i8 [[BIT]] to i1
define i1 @kernel(ptr %p) "lockstep-sub-group-size"="16" {
  %bits = load <128 x i1>, ptr %p, align 16
  %bit = extractelement <128 x i1> %bits, i64 70
  ret i1 %bit
}
