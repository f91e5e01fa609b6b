; RUN: llc -O2 %s -o - | FileCheck %s
; LLVM compares lane by lane. A failure here means that LLVM no longer needs lower-maximum-numbers. The text of a report is
; docs/upstream/llvm-aarch64-maximumnum.md.
target triple = "aarch64-linux-gnu"

; CHECK-LABEL: extreme:
; CHECK-COUNT-24: fcmp
define <8 x float> @extreme(<8 x float> %x, <8 x float> %y) vscale_range(4,4) "target-features"="+sve" {
  %m = call <8 x float> @llvm.maximumnum.v8f32(<8 x float> %x, <8 x float> %y)
  ret <8 x float> %m
}
declare <8 x float> @llvm.maximumnum.v8f32(<8 x float>, <8 x float>)
