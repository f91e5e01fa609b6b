; RUN: lockstep-opt -passes=narrow-masked-accesses %s | FileCheck %s
; The active lanes stand together: plain accesses of as many elements. A gap, a number that is no power of two, and
; elements that do not fill bytes keep their masks.

; CHECK-LABEL: @kernel
; CHECK: [[PART:%.*]] = load <2 x i32>, ptr %p, align 16
; CHECK: %a = shufflevector <2 x i32> [[PART]], <2 x i32> poison, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
; CHECK: [[PLACE:%.*]] = getelementptr inbounds i32, ptr %p, i64 2
; CHECK: [[PART:%.*]] = load <2 x i32>, ptr [[PLACE]], align 8
; CHECK: [[WIDE:%.*]] = shufflevector <2 x i32> [[PART]], <2 x i32> poison, <4 x i32> <i32 poison, i32 poison, i32 0, i32 1>
; CHECK: %b = shufflevector <4 x i32> [[WIDE]], <4 x i32> %v, <4 x i32> <i32 4, i32 5, i32 2, i32 3>
; CHECK: [[ONE:%.*]] = load i32, ptr %p, align 16
; CHECK: %c = insertelement <4 x i32> %v, i32 [[ONE]], i64 0
; CHECK: %d = call <4 x i32> @llvm.masked.load
; CHECK: %e = call <8 x i1> @llvm.masked.load
; CHECK: [[PART:%.*]] = shufflevector <4 x i32> %a, <4 x i32> poison, <2 x i32> <i32 2, i32 3>
; CHECK: store <2 x i32> [[PART]], ptr %{{.*}}, align 8
; CHECK: call void @llvm.masked.store
define <8 x i1> @kernel(ptr %p, <4 x i32> %v) {
  %a = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 16 %p, <4 x i1> <i1 true, i1 true, i1 false, i1 false>, <4 x i32> poison)
  %b = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 16 %p, <4 x i1> <i1 false, i1 false, i1 true, i1 true>, <4 x i32> %v)
  %c = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 16 %p, <4 x i1> <i1 true, i1 false, i1 false, i1 false>, <4 x i32> %v)
  %d = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 16 %p, <4 x i1> <i1 true, i1 true, i1 true, i1 false>, <4 x i32> poison)
  %e = call <8 x i1> @llvm.masked.load.v8i1.p0(ptr align 1 %p, <8 x i1> <i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>, <8 x i1> poison)
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %a, ptr align 16 %p, <4 x i1> <i1 false, i1 false, i1 true, i1 true>)
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %d, ptr align 16 %p, <4 x i1> <i1 true, i1 false, i1 true, i1 false>)
  ret <8 x i1> %e
}

declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, <4 x i1>, <4 x i32>)
declare <8 x i1> @llvm.masked.load.v8i1.p0(ptr, <8 x i1>, <8 x i1>)
declare void @llvm.masked.store.v4i32.p0(<4 x i32>, ptr, <4 x i1>)
