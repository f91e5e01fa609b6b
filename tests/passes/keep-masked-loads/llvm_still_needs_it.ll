; RUN: opt -S -passes=instcombine %s | FileCheck %s
; LLVM without the pass: the load stands behind the store that it must not see. A failure here means that LLVM no longer
; needs keep-masked-loads. Upstream: llvm/llvm-project#215453, mended in LLVM 23.

; CHECK-LABEL: @known
; CHECK-NEXT: masked.store
; CHECK-NEXT: masked.load
define <8 x i32> @known(ptr %p, <8 x i1> %mask) {
  %old = call <8 x i32> @llvm.masked.load.v8i32.p0(ptr align 4 %p, <8 x i1> %mask, <8 x i32> poison)
  call void @llvm.masked.store.v8i32.p0(<8 x i32> splat (i32 2), ptr align 4 %p, <8 x i1> %mask)
  %result = select <8 x i1> %mask, <8 x i32> %old, <8 x i32> splat (i32 1)
  ret <8 x i32> %result
}
