; RUN: opt -S -passes=instcombine %s | FileCheck %s
; LLVM without the pass: the product is of 64 bits, and that its lower half does not wrap is forgotten. A failure here means
; that simplify-indices no longer needs to look for products.

target datalayout = "e-m:e-i64:64-n8:16:32:64"

; CHECK: [[THREE:%.*]] = mul i64 %id, 12884901888
; CHECK: ashr exact i64 [[THREE]], 32
define i64 @third(i64 %id) {
  %i = trunc i64 %id to i32
  %three = mul nsw i32 %i, 3
  %place = sext i32 %three to i64
  ret i64 %place
}
