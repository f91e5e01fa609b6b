; RUN: lockstep-opt -passes=narrow-masked-accesses %s | FileCheck %s
; Two active lanes: two loads and two stores, each at an address that is made of scalars. Five lanes stay a gather.

; CHECK-LABEL: @kernel
; CHECK: [[A:%.*]] = getelementptr i32, ptr %p, i64 7
; CHECK: [[B:%.*]] = getelementptr i8, ptr [[A]], i64 -4
; CHECK: [[C:%.*]] = load i32, ptr [[B]], align 4
; CHECK: insertelement <8 x i32> %v, i32 [[C]], i64 0
; CHECK: load i32
; CHECK: call <8 x i32> @llvm.masked.gather
; CHECK: [[D:%.*]] = extractelement <8 x i32> %{{.*}}, i64 0
; CHECK: store i32 [[D]], ptr %{{.*}}, align 4
; CHECK: store i32
; CHECK: [[E:%.*]] = extractelement <8 x ptr> %q, i64 3
; CHECK: store i32 %{{.*}}, ptr [[E]], align 4
; CHECK-NOT: call void @llvm.masked.scatter
define void @kernel(ptr %p, <8 x i32> %v, <8 x ptr> %q) {
  %far = getelementptr i32, ptr %p, <8 x i64> <i64 7, i64 9, i64 11, i64 13, i64 15, i64 17, i64 19, i64 21>
  %places = getelementptr i8, <8 x ptr> %far, i64 -4
  %a = call <8 x i32> @llvm.masked.gather.v8i32.v8p0(<8 x ptr> align 4 %places, <8 x i1> <i1 true, i1 false, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false>, <8 x i32> %v)
  %b = call <8 x i32> @llvm.masked.gather.v8i32.v8p0(<8 x ptr> align 4 %places, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false>, <8 x i32> %v)
  %c = add <8 x i32> %a, %b
  call void @llvm.masked.scatter.v8i32.v8p0(<8 x i32> %c, <8 x ptr> align 4 %places, <8 x i1> <i1 true, i1 false, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false>)
  call void @llvm.masked.scatter.v8i32.v8p0(<8 x i32> %c, <8 x ptr> align 4 %q, <8 x i1> <i1 false, i1 false, i1 false, i1 true, i1 false, i1 false, i1 false, i1 false>)
  ret void
}

declare <8 x i32> @llvm.masked.gather.v8i32.v8p0(<8 x ptr>, <8 x i1>, <8 x i32>)
declare void @llvm.masked.scatter.v8i32.v8p0(<8 x i32>, <8 x ptr>, <8 x i1>)
