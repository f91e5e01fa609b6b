; RUN: lockstep-opt -passes=narrow-masked-accesses %s | FileCheck %s

; CHECK-LABEL: @kernel
; CHECK: [[ADDRESS:%.*]] = getelementptr inbounds i16, ptr %p, i64 2
; CHECK: [[ELEMENT:%.*]] = extractelement <4 x i16> %v, i64 2
; CHECK: store i16 [[ELEMENT]], ptr [[ADDRESS]], align 4
; CHECK: call void @llvm.masked.store{{.*}} <4 x i1> <i1 true, i1 false, i1 true, i1 false>
; CHECK: call void @llvm.masked.store{{.*}} <4 x i1> %m
define void @kernel(ptr %p, <4 x i16> %v, <4 x i1> %m) {
  call void @llvm.masked.store.v4i16.p0(<4 x i16> %v, ptr align 8 %p, <4 x i1> <i1 false, i1 false, i1 true, i1 false>)
  call void @llvm.masked.store.v4i16.p0(<4 x i16> %v, ptr align 8 %p, <4 x i1> <i1 true, i1 false, i1 true, i1 false>)
  call void @llvm.masked.store.v4i16.p0(<4 x i16> %v, ptr align 8 %p, <4 x i1> %m)
  ret void
}

declare void @llvm.masked.store.v4i16.p0(<4 x i16>, ptr, <4 x i1>)
