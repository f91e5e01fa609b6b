; RUN: opt -S -passes=fix-irreducible %s | FileCheck %s
; LLVM without the pass: of two edges from %twice to %b, the header of the cycle, one does not lead to the guard, so the
; cycle keeps two entries. FixIrreducible makes such branches itself where cycles are nested. A failure here means that
; make-reducible is needed for cycles with barriers only. Upstream: llvm/llvm-project#191979.

; CHECK: twice:
; CHECK-NEXT: br i1 %d, label %irr.guard, label %b
define void @kernel(ptr %p, i1 %c, i1 %d) {
entry:
  br i1 %c, label %a, label %b
a:
  %x = load volatile i1, ptr %p
  br i1 %x, label %twice, label %b
b:
  %y = load volatile i1, ptr %p
  br i1 %y, label %a, label %end
twice:
  br i1 %d, label %b, label %b
end:
  ret void
}
