; RUN: opt -passes=instcombine -S %s | FileCheck %s
; LLVM without the pass. A failure here means that LLVM no longer needs clamp-conversions-to-half.
;
; For a report upstream: isKnownExactCastIntToFP counts the significant bits of the integer and compares them with the
; significand alone. 1 << 20 has one such bit, but as half it is infinite: the fold gives 1048576.0.

; CHECK-LABEL: @wide
; CHECK: uitofp {{.*}}i32 %{{.*}} to float
define float @wide(i32 %x) {
  %bit = and i32 %x, 1048576
  %half = uitofp i32 %bit to half
  %wide = fpext half %half to float
  ret float %wide
}

; CHECK-LABEL: @rounded
; CHECK-NOT: half
; CHECK: ret float
define float @rounded(i64 %n) {
  %x = shl i64 72057594037927936, %n
  %number = uitofp i64 %x to float
  %half = fptrunc float %number to half
  %wide = fpext half %half to float
  ret float %wide
}
