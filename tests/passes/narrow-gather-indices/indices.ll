; RUN: lockstep-opt -passes=narrow-gather-indices %s | FileCheck %s
; One scalar pointer, and an index of 32 bits that is extended just before the access.

; What is the same in all lanes goes to the pointer; the extension stood in another block.
; CHECK-LABEL: @signed
; CHECK: far:
; CHECK: [[SAME:%.*]] = mul i64 %same, 4
; CHECK-NEXT: [[MOVED:%.*]] = getelementptr i8, ptr %table, i64 [[SAME]]
; CHECK-NEXT: [[WIDE:%.*]] = sext <16 x i32> %index to <16 x i64>
; CHECK-NEXT: [[NARROW:%.*]] = getelementptr i32, ptr [[MOVED]], <16 x i64> [[WIDE]]
; CHECK-NEXT: call <16 x float> @llvm.masked.gather{{.*}}(<16 x ptr> align 4 [[NARROW]]
define <16 x float> @signed(ptr %table, <16 x i32> %index, i64 %same) {
  %wide = sext <16 x i32> %index to <16 x i64>
  br label %far
far:
  %first = getelementptr float, ptr %table, <16 x i64> %wide
  %second = getelementptr float, <16 x ptr> %first, i64 %same
  %r = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> align 4 %second, <16 x i1> splat (i1 true), <16 x float> poison)
  ret <16 x float> %r
}

; Half of the range from the middle.
; CHECK-LABEL: @unsigned
; CHECK: [[FROM_MIDDLE:%.*]] = xor <16 x i32> %index, splat (i32 -2147483648)
; CHECK-NEXT: [[MIDDLE:%.*]] = getelementptr i8, ptr %table, i64 8589934592
; CHECK-NEXT: [[WIDE:%.*]] = sext <16 x i32> [[FROM_MIDDLE]] to <16 x i64>
; CHECK-NEXT: [[NARROW:%.*]] = getelementptr i32, ptr [[MIDDLE]], <16 x i64> [[WIDE]]
; CHECK-NEXT: call void @llvm.masked.scatter{{.*}}(<16 x i32> %value, <16 x ptr> align 4 [[NARROW]]
define void @unsigned(ptr %table, <16 x i32> %index, <16 x i32> %value, <16 x i1> %mask) {
  %wide = zext <16 x i32> %index to <16 x i64>
  %to = getelementptr i32, ptr %table, <16 x i64> %wide
  call void @llvm.masked.scatter.v16i32.v16p0(<16 x i32> %value, <16 x ptr> align 4 %to, <16 x i1> %mask)
  ret void
}

; Numbers of 16 bits are never negative as numbers of 32. A sum of what differs and a constant, times two.
; CHECK-LABEL: @short_and_shifted
; CHECK: [[SHORT:%.*]] = zext <16 x i16> %index to <16 x i32>
; CHECK-NOT: xor
; CHECK: [[WIDE:%.*]] = sext <16 x i32> [[SHORT]] to <16 x i64>
; CHECK-NEXT: getelementptr i64, ptr {{%.*}}, <16 x i64> [[WIDE]]
define <16 x i32> @short_and_shifted(ptr %table, <16 x i16> %index) {
  %wide = zext <16 x i16> %index to <16 x i64>
  %sum = add <16 x i64> %wide, splat (i64 7)
  %twice = shl <16 x i64> %sum, splat (i64 1)
  %from = getelementptr i32, ptr %table, <16 x i64> %twice
  %r = call <16 x i32> @llvm.masked.gather.v16i32.v16p0(<16 x ptr> align 4 %from, <16 x i1> splat (i1 true), <16 x i32> poison)
  ret <16 x i32> %r
}
