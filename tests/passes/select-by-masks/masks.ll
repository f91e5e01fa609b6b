; RUN: env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes=select-by-masks %s | FileCheck %s
; RUN: env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes=select-by-masks %s | timeout 100 llc -O3 -mcpu=x86-64-v4 -o /dev/null
; RUN: env LOCKSTEP_CPU=haswell lockstep-opt -passes=select-by-masks %s | FileCheck %s --check-prefix=WITHOUT
; A random kernel's truth of 9 work-items in 64 lanes (seed 1208000783).
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @chain(
; CHECK: %bits = select <64 x i1> %some, <64 x i64> splat (i64 1), <64 x i64> zeroinitializer
; WITHOUT-LABEL: @chain(
; WITHOUT: %bits = zext
define void @chain(ptr %p, i64 %s, <64 x i1> %x) {
  %first = and <64 x i1> %x, <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>
  %some = or <64 x i1> %first, <i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>
  %bits = zext <64 x i1> %some to <64 x i64>
  %one = insertelement <64 x i64> poison, i64 %s, i64 0
  %all = shufflevector <64 x i64> %one, <64 x i64> poison, <64 x i32> zeroinitializer
  %sum = add <64 x i64> %all, %bits
  call void @llvm.masked.store.v64i64.p0(<64 x i64> %sum, ptr align 8 %p, <64 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  ret void
}

; CHECK-LABEL: @signs(
; CHECK: %signs = select <128 x i1> %x, <128 x i8> splat (i8 -1), <128 x i8> zeroinitializer
define <128 x i8> @signs(<128 x i1> %x) {
  %signs = sext <128 x i1> %x to <128 x i8>
  ret <128 x i8> %signs
}

; Masks of fewer lanes, and what is no mask.
; CHECK-LABEL: @others(
; CHECK: zext <32 x i1>
; CHECK: zext <64 x i8>
define <64 x i32> @others(<32 x i1> %x, <64 x i8> %y, ptr %p) {
  %bits = zext <32 x i1> %x to <32 x i32>
  store <32 x i32> %bits, ptr %p
  %words = zext <64 x i8> %y to <64 x i32>
  ret <64 x i32> %words
}
