; RUN: lockstep-opt -passes=hide-mask-truncations %s | FileCheck %s
; Only AArch64 needs it: target_model/aarch64_workarounds_test.cpp compiles for that.
; CHECK: trunc <4 x i16>
define <4 x i1> @lowest_bits(<8 x i16> %of) {
  %even = shufflevector <8 x i16> %of, <8 x i16> poison, <4 x i32> <i32 0, i32 2, i32 4, i32 6>
  %mask = trunc <4 x i16> %even to <4 x i1>
  ret <4 x i1> %mask
}
