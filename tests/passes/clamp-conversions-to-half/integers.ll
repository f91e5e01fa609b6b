; RUN: lockstep-opt -passes=clamp-conversions-to-half %s | FileCheck %s
; RUN: lockstep-opt -passes='clamp-conversions-to-half,instcombine' %s | FileCheck %s --check-prefix=AFTER
; 65535 rounds to infinity as every larger number does, and its 16 bits are no half's.

; CHECK-LABEL: @wide
; CHECK: %clamped = call i32 @llvm.umin.i32(i32 %bit, i32 65535)
; CHECK: uitofp i32 %clamped to half
; AFTER-LABEL: @wide
; AFTER: uitofp {{.*}} to half
; AFTER: fpext half
define float @wide(i32 %x) {
  %bit = and i32 %x, 1048576
  %half = uitofp i32 %bit to half
  %wide = fpext half %half to float
  ret float %wide
}

; CHECK-LABEL: @signed
; CHECK: %[[LESS:.*]] = call <4 x i64> @llvm.smin.v4i64(<4 x i64> %x, <4 x i64> splat (i64 65535))
; CHECK: %clamped = call <4 x i64> @llvm.smax.v4i64(<4 x i64> %[[LESS]], <4 x i64> splat (i64 -65535))
; CHECK: sitofp <4 x i64> %clamped to <4 x half>
define <4 x half> @signed(<4 x i64> %x) {
  %half = sitofp <4 x i64> %x to <4 x half>
  ret <4 x half> %half
}

; What 16 bits hold, other types, and what was clamped before.
; CHECK-LABEL: @stay
; CHECK-NOT: llvm.{{[us]m(in|ax)}}.i32(i32 %
; CHECK: ret void
define void @stay(i32 %x, i16 %y, ptr %p) {
  %low = and i32 %x, 65535
  %a = uitofp i32 %low to half
  store half %a, ptr %p
  %b = sitofp i16 %y to half
  store half %b, ptr %p
  %c = uitofp i32 %x to float
  store float %c, ptr %p
  ret void
}

; CHECK-LABEL: @once
; CHECK-COUNT-1: llvm.umin
; CHECK-NOT: llvm.umin
; CHECK: ret half
define half @once(i32 %x) {
  %less = call i32 @llvm.umin.i32(i32 %x, i32 65535)
  %half = uitofp i32 %less to half
  ret half %half
}
