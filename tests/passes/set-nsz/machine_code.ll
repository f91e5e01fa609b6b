; What it is for: without the flag, operands are put in order by their signs first.
; RUN: llc -mtriple=x86_64 -mcpu=skylake-avx512 %s -o - | FileCheck %s

; CHECK-LABEL: ordered:
; CHECK: vpmovd2m
define <16 x float> @ordered(<16 x float> %a, <16 x float> %b) {
  %low = call <16 x float> @llvm.minimumnum.v16f32(<16 x float> %a, <16 x float> %b)
  ret <16 x float> %low
}

; CHECK-LABEL: any_zero:
; CHECK-NOT: vpmovd2m
; CHECK: ret
define <16 x float> @any_zero(<16 x float> %a, <16 x float> %b) {
  %low = call nsz <16 x float> @llvm.minimumnum.v16f32(<16 x float> %a, <16 x float> %b)
  ret <16 x float> %low
}
