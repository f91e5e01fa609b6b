; RUN: lockstep-opt -passes=keep-masked-loads %s | FileCheck %s
; RUN: lockstep-opt -passes='keep-masked-loads,instcombine' %s | FileCheck %s --check-prefix=ORDER
; What was loaded before the store must not be loaded behind it.

; CHECK-LABEL: @known
; CHECK: [[LOADED:%.*]] = call <8 x i32> @llvm.masked.load.v8i32.p0(ptr align 4 %p, <8 x i1> %mask, <8 x i32> splat (i32 1))
; CHECK-NOT: select
; CHECK: ret <8 x i32> [[LOADED]]
; ORDER-LABEL: @known
; ORDER: masked.load
; ORDER: masked.store
; ORDER: ret
define <8 x i32> @known(ptr %p, <8 x i1> %mask) {
  %old = call <8 x i32> @llvm.masked.load.v8i32.p0(ptr align 4 %p, <8 x i1> %mask, <8 x i32> poison)
  call void @llvm.masked.store.v8i32.p0(<8 x i32> splat (i32 2), ptr align 4 %p, <8 x i1> %mask)
  %result = select <8 x i1> %mask, <8 x i32> %old, <8 x i32> splat (i32 1)
  ret <8 x i32> %result
}

; CHECK-LABEL: @later
; CHECK: [[LOADED:%.*]] = call <8 x i32> @llvm.masked.load.v8i32.p0(ptr align 4 %p, <8 x i1> %mask, <8 x i32> poison)
; CHECK-NEXT: [[KEPT:%.*]] = freeze <8 x i32> [[LOADED]]
; CHECK: select <8 x i1> %mask, <8 x i32> [[KEPT]], <8 x i32> %other
; ORDER-LABEL: @later
; ORDER: masked.load
; ORDER: masked.store
; ORDER: ret
define <8 x i32> @later(ptr %p, ptr %q, <8 x i1> %mask) {
  %old = call <8 x i32> @llvm.masked.load.v8i32.p0(ptr align 4 %p, <8 x i1> %mask, <8 x i32> poison)
  call void @llvm.masked.store.v8i32.p0(<8 x i32> splat (i32 2), ptr align 4 %p, <8 x i1> %mask)
  %other = load <8 x i32>, ptr %q
  %result = select <8 x i1> %mask, <8 x i32> %old, <8 x i32> %other
  ret <8 x i32> %result
}

; Nothing in between: as it was.
; CHECK-LABEL: @straight
; CHECK: masked.load.v8i32.p0(ptr align 4 %p, <8 x i1> %mask, <8 x i32> poison)
; CHECK-NEXT: select
define <8 x i32> @straight(ptr %p, <8 x i1> %mask) {
  %old = call <8 x i32> @llvm.masked.load.v8i32.p0(ptr align 4 %p, <8 x i1> %mask, <8 x i32> poison)
  %result = select <8 x i1> %mask, <8 x i32> %old, <8 x i32> splat (i32 1)
  ret <8 x i32> %result
}

declare <8 x i32> @llvm.masked.load.v8i32.p0(ptr, <8 x i1>, <8 x i32>)
declare void @llvm.masked.store.v8i32.p0(<8 x i32>, ptr, <8 x i1>)
