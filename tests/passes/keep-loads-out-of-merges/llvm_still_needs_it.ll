; RUN: llc -O2 -mcpu=x86-64-v3 %s -o - | FileCheck %s
; LLVM without the pass: the upper 32 bits of %rax are those of the shifted 64 bits, where zext wants zeros.
; A failure here means that LLVM no longer needs keep-loads-out-of-merges. Upstream: llvm/llvm-project#205291, mended by
; llvm/llvm-project#205600.

; CHECK-LABEL: merge:
; CHECK: shrq $7, %rax
; CHECK-NEXT: movw (%rsi), %ax
; CHECK-NEXT: retq
target triple = "x86_64-unknown-linux-gnu"

define i64 @merge(i64 %x, ptr %p) {
  %loaded = load i16, ptr %p
  %low = zext i16 %loaded to i32
  %shifted = lshr i64 %x, 7
  %part = trunc i64 %shifted to i32
  %high = and i32 %part, -65536
  %all = or disjoint i32 %high, %low
  %wide = zext i32 %all to i64
  ret i64 %wide
}
