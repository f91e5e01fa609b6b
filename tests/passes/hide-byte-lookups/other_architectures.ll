; RUN: lockstep-opt -passes=hide-byte-lookups %s | FileCheck %s
; Only AArch64 needs it: target_model/aarch64_workarounds_test.cpp compiles for that.
; CHECK-NOT: asm
define <8 x i8> @lookup(<16 x i8> %of, <8 x i8> %at) {
  %place = and <8 x i8> %at, splat (i8 15)
  %p0 = extractelement <8 x i8> %place, i64 0
  %p1 = extractelement <8 x i8> %place, i64 1
  %p2 = extractelement <8 x i8> %place, i64 2
  %p3 = extractelement <8 x i8> %place, i64 3
  %p4 = extractelement <8 x i8> %place, i64 4
  %p5 = extractelement <8 x i8> %place, i64 5
  %p6 = extractelement <8 x i8> %place, i64 6
  %p7 = extractelement <8 x i8> %place, i64 7
  %b0 = extractelement <16 x i8> %of, i8 %p0
  %b1 = extractelement <16 x i8> %of, i8 %p1
  %b2 = extractelement <16 x i8> %of, i8 %p2
  %b3 = extractelement <16 x i8> %of, i8 %p3
  %b4 = extractelement <16 x i8> %of, i8 %p4
  %b5 = extractelement <16 x i8> %of, i8 %p5
  %b6 = extractelement <16 x i8> %of, i8 %p6
  %b7 = extractelement <16 x i8> %of, i8 %p7
  %r0 = insertelement <8 x i8> poison, i8 %b0, i64 0
  %r1 = insertelement <8 x i8> %r0, i8 %b1, i64 1
  %r2 = insertelement <8 x i8> %r1, i8 %b2, i64 2
  %r3 = insertelement <8 x i8> %r2, i8 %b3, i64 3
  %r4 = insertelement <8 x i8> %r3, i8 %b4, i64 4
  %r5 = insertelement <8 x i8> %r4, i8 %b5, i64 5
  %r6 = insertelement <8 x i8> %r5, i8 %b6, i64 6
  %r7 = insertelement <8 x i8> %r6, i8 %b7, i64 7
  ret <8 x i8> %r7
}
