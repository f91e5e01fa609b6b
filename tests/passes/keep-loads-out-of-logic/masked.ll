; RUN: env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes=keep-loads-out-of-logic %s | FileCheck %s
; RUN: env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes=keep-loads-out-of-logic %s | llc -mcpu=x86-64-v4 | FileCheck %s --check-prefix=CODE
; RUN: env LOCKSTEP_CPU=haswell lockstep-opt -passes=keep-loads-out-of-logic %s | FileCheck %s --check-prefix=WITHOUT
; One bit of each lane from memory, where the mask says so.

; CHECK-LABEL: @merge
; CHECK: [[LOADED:%.*]] = load <8 x i32>
; CHECK: [[KEPT:%.*]] = freeze <8 x i32> [[LOADED]]
; CHECK: xor <8 x i32> [[KEPT]], %all
; CODE-LABEL: merge:
; CODE-NOT: vpternlogd ${{[0-9]+}}, (%rdi)
; CODE: ret
; WITHOUT-LABEL: @merge
; WITHOUT-NOT: freeze
define <8 x i32> @merge(<8 x i1> %mask, ptr %p, i32 %one) {
  %loaded = load <8 x i32>, ptr %p
  %first = insertelement <8 x i32> poison, i32 %one, i64 0
  %all = shufflevector <8 x i32> %first, <8 x i32> poison, <8 x i32> zeroinitializer
  %differs = xor <8 x i32> %loaded, %all
  %bit = and <8 x i32> %differs, splat (i32 1)
  %taken = select <8 x i1> %mask, <8 x i32> %bit, <8 x i32> zeroinitializer
  %result = xor <8 x i32> %taken, %all
  ret <8 x i32> %result
}

; Arithmetic takes its operand from memory.
; CHECK-LABEL: @sum
; CHECK-NOT: freeze
define <8 x i32> @sum(<8 x i1> %mask, ptr %p, <8 x i32> %one) {
  %loaded = load <8 x i32>, ptr %p
  %added = add <8 x i32> %loaded, %one
  %result = select <8 x i1> %mask, <8 x i32> %added, <8 x i32> %one
  ret <8 x i32> %result
}
