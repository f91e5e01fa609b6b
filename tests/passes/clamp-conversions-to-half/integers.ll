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

; What InstCombine would make a conversion to half itself: the half is infinite from 65520 on, and stays so.
; CHECK-LABEL: @rounded
; CHECK: %[[MORE:.*]] = fcmp ogt float %number, 6.553500e+04
; CHECK: %[[LESS:.*]] = select i1 %[[MORE]], float 6.553500e+04, float %number
; CHECK: fcmp olt float %[[LESS]], -6.553500e+04
; CHECK: fptrunc float %clamped
; AFTER-LABEL: @rounded
; AFTER: fptrunc float
; AFTER: fpext half
define float @rounded(i64 %n) {
  %x = shl i64 72057594037927936, %n
  %number = uitofp i64 %x to float
  %half = fptrunc float %number to half
  %wide = fpext half %half to float
  ret float %wide
}

; Through what InstCombine moves conversions through.
; CHECK-LABEL: @round_about
; CHECK: select <2 x i1> %{{.*}}, <2 x double> splat (double -6.553500e+04), <2 x double>
; CHECK: fptrunc <2 x double> %clamped{{.*}} to <2 x half>
define <2 x half> @round_about(<2 x i64> %x, <2 x double> %y, i1 %c, i1 %d) {
entry:
  %number = sitofp <2 x i64> %x to <2 x float>
  %double = fpext <2 x float> %number to <2 x double>
  %negative = fneg <2 x double> %double
  br i1 %c, label %then, label %after
then:
  br label %after
after:
  %one = phi <2 x double> [ %negative, %entry ], [ %y, %then ]
  %chosen = select i1 %d, <2 x double> %one, <2 x double> %y
  %half = fptrunc <2 x double> %chosen to <2 x half>
  ret <2 x half> %half
}

; Small integers, numbers of other origin, and what was clamped before.
; CHECK-LABEL: @floats_stay
; CHECK-NOT: fcmp
; CHECK: %more = fcmp
; CHECK: %less = fcmp
; CHECK-NOT: fcmp
; CHECK: ret void
define void @floats_stay(i16 %x, float %y, i64 %z, ptr %p) {
  %small = uitofp i16 %x to float
  %a = fptrunc float %small to half
  store half %a, ptr %p
  %b = fptrunc float %y to half
  store half %b, ptr %p
  %number = uitofp i64 %z to float
  %more = fcmp ogt float %number, 65535.0
  %most = select i1 %more, float 65535.0, float %number
  %less = fcmp olt float %most, -65535.0
  %between = select i1 %less, float -65535.0, float %most
  %c = fptrunc float %between to half
  store half %c, ptr %p
  ret void
}
