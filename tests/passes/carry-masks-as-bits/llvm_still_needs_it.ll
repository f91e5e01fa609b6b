; RUN: llc -O2 -mcpu=x86-64-v3 %s -o - | FileCheck %s
; LLVM without the pass: the mask crosses from one block to the next as 64 bytes in registers and on the stack, which are
; then inserted one by one into vectors. A failure here means that LLVM no longer needs carry-masks-as-bits.
;
; For a report upstream: v64i1 is split for targets with AVX2, and the breakdown for values that live across blocks
; (getVectorTypeBreakdown) ends at scalars, because v32i1 is promoted and not legal. Two registers of v32i8 would do.
; Upstream: none was found on 2026-11-29.

; CHECK-COUNT-40: vpinsrb
declare void @use()
define void @kernel(ptr %p, i1 %c, <64 x i8> %x, <64 x i8> %y) {
entry:
  %d = icmp slt <64 x i8> %x, %y
  br i1 %c, label %next, label %join
next:
  call void @use()
  %e = load <64 x i1>, ptr %p
  br label %join
join:
  %m = phi <64 x i1> [ %d, %entry ], [ %e, %next ]
  %s = select <64 x i1> %m, <64 x i8> %x, <64 x i8> %y
  store <64 x i8> %s, ptr %p
  ret void
}
