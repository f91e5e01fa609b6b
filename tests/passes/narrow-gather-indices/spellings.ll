; RUN: lockstep-opt -passes=narrow-gather-indices %s | FileCheck %s
; One index of 32 bits in many spellings. What is the same in all lanes stays as it is and goes to the pointer.

; CHECK-LABEL: @shifted
; CHECK: [[WIDE:%[0-9]+]] = sext <16 x i32> %index to <16 x i64>
; CHECK-NEXT: %narrow.indices = getelementptr i64, ptr %table, <16 x i64> [[WIDE]]
; CHECK-NEXT: call {{.*}} %narrow.indices
define <16 x i32> @shifted(ptr %table, <16 x i32> %index) {
  %wide = sext <16 x i32> %index to <16 x i64>
  %twice = shl <16 x i64> %wide, splat (i64 1)
  %from = getelementptr i32, ptr %table, <16 x i64> %twice
  %r = call <16 x i32> @llvm.masked.gather.v16i32.v16p0(<16 x ptr> align 4 %from, <16 x i1> splat (i1 true), <16 x i32> poison)
  ret <16 x i32> %r
}

; CHECK-LABEL: @multiplied_bytes
; CHECK: [[WIDE:%[0-9]+]] = sext <16 x i32> %index to <16 x i64>
; CHECK-NEXT: %narrow.indices = getelementptr i64, ptr %table, <16 x i64> [[WIDE]]
; CHECK-NEXT: call {{.*}} %narrow.indices
define <16 x i32> @multiplied_bytes(ptr %table, <16 x i32> %index) {
  %wide = sext <16 x i32> %index to <16 x i64>
  %byte = mul <16 x i64> %wide, splat (i64 8)
  %from = getelementptr i8, ptr %table, <16 x i64> %byte
  %r = call <16 x i32> @llvm.masked.gather.v16i32.v16p0(<16 x ptr> align 4 %from, <16 x i1> splat (i1 true), <16 x i32> poison)
  ret <16 x i32> %r
}

; Never negative: signed as well as unsigned. The sum of scalars is not computed again.
; CHECK-LABEL: @non_negative
; CHECK: %sum = add i64 %a, %b
; CHECK: [[SCALED:%.*]] = mul i64 %sum, -4
; CHECK-NEXT: [[BASE:%.*]] = getelementptr i8, ptr %table, i64 [[SCALED]]
; CHECK-NEXT: [[WIDE:%[0-9]+]] = sext <16 x i32> %index to <16 x i64>
; CHECK-NEXT: getelementptr i32, ptr [[BASE]], <16 x i64> [[WIDE]]
define <16 x i32> @non_negative(ptr %table, <16 x i32> %index, i64 %a, i64 %b) {
  %wide = zext nneg <16 x i32> %index to <16 x i64>
  %sum = add i64 %a, %b
  %one = insertelement <16 x i64> poison, i64 %sum, i64 0
  %all = shufflevector <16 x i64> %one, <16 x i64> poison, <16 x i32> zeroinitializer
  %left = sub <16 x i64> %wide, %all
  %from = getelementptr i32, ptr %table, <16 x i64> %left
  %r = call <16 x i32> @llvm.masked.gather.v16i32.v16p0(<16 x ptr> align 4 %from, <16 x i1> splat (i1 true), <16 x i32> poison)
  ret <16 x i32> %r
}

; A member of a structure of eight bytes.
; CHECK-LABEL: @member
; CHECK: [[BASE:%.*]] = getelementptr i8, ptr %table, i64 4
; CHECK-NEXT: [[WIDE:%[0-9]+]] = sext <16 x i32> %index to <16 x i64>
; CHECK-NEXT: getelementptr i64, ptr [[BASE]], <16 x i64> [[WIDE]]
define <16 x i32> @member(ptr %table, <16 x i32> %index) {
  %wide = sext <16 x i32> %index to <16 x i64>
  %from = getelementptr { i32, i32 }, ptr %table, <16 x i64> %wide, i32 1
  %r = call <16 x i32> @llvm.masked.gather.v16i32.v16p0(<16 x ptr> align 4 %from, <16 x i1> splat (i1 true), <16 x i32> poison)
  ret <16 x i32> %r
}

declare <16 x i32> @llvm.masked.gather.v16i32.v16p0(<16 x ptr>, <16 x i1>, <16 x i32>)
