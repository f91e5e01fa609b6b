; RUN: lockstep-opt -passes=lower-maximum-numbers %s | FileCheck %s
; Only AArch64 needs it: target_model/aarch64_workarounds_test.cpp compiles for that.
; CHECK: call <16 x float> @llvm.maximumnum.v16f32(
; CHECK-NOT: minnum
define <16 x float> @extreme(<16 x float> %x, <16 x float> %y) {
  %m = call <16 x float> @llvm.maximumnum.v16f32(<16 x float> %x, <16 x float> %y)
  ret <16 x float> %m
}
declare <16 x float> @llvm.maximumnum.v16f32(<16 x float>, <16 x float>)
