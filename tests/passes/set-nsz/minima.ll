; RUN: lockstep-opt -passes=set-nsz %s | FileCheck %s

; CHECK: call nsz <4 x float> @llvm.minimumnum.v4f32
; CHECK: call nnan nsz float @llvm.maximumnum.f32
; CHECK: call float @llvm.minimum.f32
define float @kernel(<4 x float> %a, <4 x float> %b) {
  %low = call <4 x float> @llvm.minimumnum.v4f32(<4 x float> %a, <4 x float> %b)
  %first = extractelement <4 x float> %low, i64 0
  %second = extractelement <4 x float> %low, i64 1
  %high = call nnan float @llvm.maximumnum.f32(float %first, float %second)
  %ordered = call float @llvm.minimum.f32(float %high, float %second)
  ret float %ordered
}
