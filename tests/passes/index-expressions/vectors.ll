; RUN: lockstep-opt -quiet '-passes=print<index-expressions>' %s | FileCheck %s
; One expression for all lanes: scalars are the same in each, `lane` is its number.

; CHECK-LABEL: index expressions of lanes
; CHECK: lane + %n : {{.*}}%index =
; CHECK: 4 * lane + 4 * %n + %p : {{.*}}%addresses =
; CHECK: lane + %m, nuw, nsw : {{.*}}%narrow =
; CHECK: lane + sext %m : {{.*}}%wide =
; CHECK: sext %m + sext %rows : {{.*}}%walk.wide =
; CHECK: <i64 0, i64 2, i64 3, i64 5> : {{.*}}%others =
define void @lanes(ptr addrspace(1) %p, i64 %n, i32 %m, <4 x i32> %rows) {
  %one = insertelement <4 x i64> poison, i64 %n, i64 0
  %all = shufflevector <4 x i64> %one, <4 x i64> poison, <4 x i32> zeroinitializer
  %index = add <4 x i64> %all, <i64 0, i64 1, i64 2, i64 3>
  %addresses = getelementptr i32, ptr addrspace(1) %p, <4 x i64> %index
  %one.narrow = insertelement <4 x i32> poison, i32 %m, i64 0
  %all.narrow = shufflevector <4 x i32> %one.narrow, <4 x i32> poison, <4 x i32> zeroinitializer
  %narrow = add nuw nsw <4 x i32> %all.narrow, <i32 0, i32 1, i32 2, i32 3>
  %wide = sext <4 x i32> %narrow to <4 x i64>
  %walk = add nsw <4 x i32> %rows, %all.narrow
  %walk.wide = sext <4 x i32> %walk to <4 x i64>
  %others = add <4 x i64> <i64 0, i64 2, i64 3, i64 5>, zeroinitializer
  ret void
}

; Elements of vectors that a program computes with.
; CHECK-LABEL: index expressions of elements
; CHECK: %x + 7 : {{.*}}%first =
; CHECK: 2 * %y + 8 : {{.*}}%second =
; CHECK: %v[1] : {{.*}}%opaque =
define void @elements(i64 %x, i64 %y, <2 x i64> %v) {
  %a = insertelement <2 x i64> poison, i64 %x, i64 0
  %b = insertelement <2 x i64> %a, i64 %y, i64 1
  %sum = add <2 x i64> %b, <i64 7, i64 4>
  %first = extractelement <2 x i64> %sum, i64 0
  %swapped = shufflevector <2 x i64> %sum, <2 x i64> %b, <2 x i32> <i32 1, i32 0>
  %twice = mul <2 x i64> %swapped, splat (i64 2)
  %second = extractelement <2 x i64> %twice, i64 0
  %opaque = extractelement <2 x i64> %v, i64 1
  ret void
}
