; RUN: env LOCKSTEP_SUB_GROUP_SIZE=16 lockstep-opt -passes=choose-sub-group-size %s 2>&1 | FileCheck %s
; What lanes cannot do is done by one: an intrinsic on vectors that are not split, or one about the thread that it runs on.

; CHECK-DAG: one lane: cannot be packed: llvm.vector.reverse
; CHECK-DAG: one lane: cannot be packed: llvm.stacksave
; CHECK: @reverses({{.*}} [[ONE:#[0-9]+]]
; CHECK: @saves({{.*}} [[ONE]]
; CHECK: @sums({{.*}} [[ALL:#[0-9]+]]
; CHECK-DAG: attributes [[ONE]] = {{.*}}"lockstep-sub-group-size"="1" }
; CHECK-DAG: attributes [[ALL]] = {{.*}}"lockstep-sub-group-size"="16" }
define <4 x i32> @reverses(<4 x i32> %v) {
  %w = call <4 x i32> @llvm.vector.reverse.v4i32(<4 x i32> %v)
  ret <4 x i32> %w
}
define ptr @saves() {
  %p = call ptr @llvm.stacksave.p0()
  ret ptr %p
}
define i32 @sums(<4 x i32> %v) {
  %s = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %v)
  ret i32 %s
}
