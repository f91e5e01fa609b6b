; RUN: lockstep-opt -passes=narrow-gather-indices %s | FileCheck %s --implicit-check-not=%narrow.indices
; What has no single index of 32 bits, or nothing to gain.

; Two of them: their sum may need 33 bits.
; CHECK-LABEL: @two
define <16 x float> @two(ptr %table, <16 x i32> %a, <16 x i32> %b) {
  %wide.a = sext <16 x i32> %a to <16 x i64>
  %wide.b = sext <16 x i32> %b to <16 x i64>
  %sum = add <16 x i64> %wide.a, %wide.b
  %from = getelementptr float, ptr %table, <16 x i64> %sum
  %r = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> align 4 %from, <16 x i1> splat (i1 true), <16 x float> poison)
  ret <16 x float> %r
}

; 64 bits from the beginning.
; CHECK-LABEL: @wide
define <16 x float> @wide(ptr %table, <16 x i64> %index) {
  %from = getelementptr float, ptr %table, <16 x i64> %index
  %r = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> align 4 %from, <16 x i1> splat (i1 true), <16 x float> poison)
  ret <16 x float> %r
}

; A size that the instruction cannot scale by.
; CHECK-LABEL: @structures
define <16 x float> @structures(ptr %table, <16 x i32> %index) {
  %wide = sext <16 x i32> %index to <16 x i64>
  %from = getelementptr {float, float, float}, ptr %table, <16 x i64> %wide
  %r = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> align 4 %from, <16 x i1> splat (i1 true), <16 x float> poison)
  ret <16 x float> %r
}

; Eight addresses fit into one register; bytes are loaded one by one; and each lane has a pointer of its own.
; CHECK-LABEL: @eight
define <8 x float> @eight(ptr %table, <8 x i32> %index) {
  %wide = sext <8 x i32> %index to <8 x i64>
  %from = getelementptr float, ptr %table, <8 x i64> %wide
  %r = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> align 4 %from, <8 x i1> splat (i1 true), <8 x float> poison)
  ret <8 x float> %r
}
; CHECK-LABEL: @bytes
define <16 x i8> @bytes(ptr %table, <16 x i32> %index) {
  %wide = sext <16 x i32> %index to <16 x i64>
  %from = getelementptr i8, ptr %table, <16 x i64> %wide
  %r = call <16 x i8> @llvm.masked.gather.v16i8.v16p0(<16 x ptr> align 1 %from, <16 x i1> splat (i1 true), <16 x i8> poison)
  ret <16 x i8> %r
}
; CHECK-LABEL: @own_pointers
define <16 x float> @own_pointers(<16 x ptr> %tables, <16 x i32> %index) {
  %wide = sext <16 x i32> %index to <16 x i64>
  %from = getelementptr float, <16 x ptr> %tables, <16 x i64> %wide
  %r = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> align 4 %from, <16 x i1> splat (i1 true), <16 x float> poison)
  ret <16 x float> %r
}
