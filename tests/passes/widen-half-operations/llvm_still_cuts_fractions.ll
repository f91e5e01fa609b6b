; RUN: llc -O3 -mcpu=sapphirerapids %s -o - | FileCheck %s
; LLVM without the pass. A failure here means that LLVM no longer needs round_to_even in widen-half-operations.
;
; For a report upstream: FRINT and FP_TO_SINT to i32 are combined to LRINT, which is legal for f16 with AVX512-FP16 and is
; selected as VCVTTSH2SI, which truncates, instead of VCVTSH2SI: 85.75 becomes 85. For f32 and f64 it is VCVTSS2SI and VCVTSD2SI,
; and for vectors of f16 VCVTPH2DQ.
target triple = "x86_64-unknown-linux-gnu"

; CHECK-NOT: vrndscale
; CHECK: vcvttsh2si
define i32 @nearest(half %x) {
  %rounded = call half @llvm.rint.f16(half %x)
  %r = fptosi half %rounded to i32
  ret i32 %r
}
