; Elements that have another size in a vector than in an array (i48, of bit-fields) cannot be taken one by one from memory:
; what is done with them stays, as an operand, as a result, in a gather and in a scatter. A function read bits of the
; neighbors.
; RUN: env LOCKSTEP_CPU=x86-64-v2 lockstep-opt -passes=outline-lane-code %s | FileCheck %s
target triple = "x86_64-unknown-linux-gnu"

; CHECK-NOT: i48x64
; CHECK: call <64 x i32> @lockstep.lanes.udiv
; CHECK-NOT: i48x64
define <64 x i32> @kernel(<64 x i48> %odd, <64 x i32> %v0, <64 x i32> %by, <64 x ptr> %p, <64 x i1> %mask, ptr %q) {
  %v1 = udiv <64 x i32> %v0, %by
  %v2 = udiv <64 x i32> %v1, %by
  %v3 = udiv <64 x i32> %v2, %by
  %v4 = udiv <64 x i32> %v3, %by
  %v5 = udiv <64 x i32> %v4, %by
  %v6 = udiv <64 x i32> %v5, %by
  %v7 = udiv <64 x i32> %v6, %by
  %v8 = udiv <64 x i32> %v7, %by
  %v9 = udiv <64 x i32> %v8, %by
  %half = sitofp <64 x i48> %odd to <64 x half>
  store <64 x half> %half, ptr %q
  %odd.quotient = udiv <64 x i48> %odd, %odd
  %odd.of.half = fptosi <64 x half> %half to <64 x i48>
  %odd.loaded = call <64 x i48> @llvm.masked.gather.v64i48.v64p0(<64 x ptr> align 8 %p, <64 x i1> %mask, <64 x i48> poison)
  %sum = add <64 x i48> %odd.quotient, %odd.of.half
  call void @llvm.masked.scatter.v64i48.v64p0(<64 x i48> %sum, <64 x ptr> align 8 %p, <64 x i1> %mask)
  call void @llvm.masked.scatter.v64i48.v64p0(<64 x i48> %odd.loaded, <64 x ptr> align 8 %p, <64 x i1> %mask)
  ret <64 x i32> %v9
}

declare <64 x i48> @llvm.masked.gather.v64i48.v64p0(<64 x ptr>, <64 x i1>, <64 x i48>)
declare void @llvm.masked.scatter.v64i48.v64p0(<64 x i48>, <64 x ptr>, <64 x i1>)
