; RUN: not --crash llc -O3 -mcpu=x86-64-v4 %s -o /dev/null 2>&1 | FileCheck %s
; LLVM without the pass; with it, the same compiles (spread.ll). A failure here means that LLVM no longer needs
; shuffle-masks-as-bytes.
target triple = "x86_64-unknown-linux-gnu"

; CHECK: Do not know how to promote this operator's operand
define void @spread(<32 x i8> %a, <32 x i8> %b, <128 x i8> %v, ptr %p) {
  %c = icmp sgt <32 x i8> %a, %b
  %mask = shufflevector <32 x i1> %c, <32 x i1> zeroinitializer, <128 x i32> <i32 0, i32 1, i32 32, i32 32, i32 32, i32 32, i32 32, i32 32, i32 2, i32 3, i32 32, i32 32, i32 32, i32 32, i32 32, i32 32, i32 4, i32 5, i32 32, i32 32, i32 32, i32 32, i32 32, i32 32, i32 6, i32 7, i32 32, i32 32, i32 32, i32 32, i32 32, i32 32, i32 8, i32 9, i32 32, i32 32, i32 32, i32 32, i32 32, i32 32, i32 10, i32 11, i32 32, i32 32, i32 32, i32 32, i32 32, i32 32, i32 12, i32 13, i32 32, i32 32, i32 32, i32 32, i32 32, i32 32, i32 14, i32 15, i32 32, i32 32, i32 32, i32 32, i32 32, i32 32, i32 16, i32 17, i32 32, i32 32, i32 32, i32 32, i32 32, i32 32, i32 18, i32 19, i32 32, i32 32, i32 32, i32 32, i32 32, i32 32, i32 20, i32 21, i32 32, i32 32, i32 32, i32 32, i32 32, i32 32, i32 22, i32 23, i32 32, i32 32, i32 32, i32 32, i32 32, i32 32, i32 24, i32 25, i32 32, i32 32, i32 32, i32 32, i32 32, i32 32, i32 26, i32 27, i32 32, i32 32, i32 32, i32 32, i32 32, i32 32, i32 28, i32 29, i32 32, i32 32, i32 32, i32 32, i32 32, i32 32, i32 30, i32 31, i32 32, i32 32, i32 32, i32 32, i32 32, i32 32>
  call void @llvm.masked.store.v128i8.p0(<128 x i8> %v, ptr align 1 %p, <128 x i1> %mask)
  ret void
}
