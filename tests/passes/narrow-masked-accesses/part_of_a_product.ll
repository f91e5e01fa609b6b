; RUN: lockstep-opt -passes=narrow-masked-accesses %s | FileCheck %s
; RUN: lockstep-opt -passes=narrow-masked-accesses %s | llc -mcpu=znver4 -o /dev/null
; Four lanes of sixteen are computed for them alone. Of the product also where it is needed whole: LLVM 22 knows no instruction
; for a part of it, if what it widens were the bits of floats.

; CHECK-LABEL: @kernel
; CHECK: [[BITS:%.*]] = shufflevector <16 x i32> %bits, <16 x i32> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
; CHECK: [[WIDE:%.*]] = zext <4 x i32> [[BITS]] to <4 x i64>
; CHECK: [[PRODUCT:%.*]] = mul <4 x i64> [[WIDE]], splat (i64 1000003)
; CHECK: [[SUM:%.*]] = add <4 x i64> [[PRODUCT]], splat (i64 17)
; CHECK: store <4 x i64> [[SUM]], ptr %to
; CHECK: store <16 x i64> %product, ptr %all
define void @kernel(<16 x float> %floats, ptr %to, ptr %all) {
  %bits = bitcast <16 x float> %floats to <16 x i32>
  %wide = zext <16 x i32> %bits to <16 x i64>
  %product = mul <16 x i64> %wide, splat (i64 1000003)
  %sum = add <16 x i64> %product, splat (i64 17)
  call void @llvm.masked.store.v16i64.p0(<16 x i64> %sum, ptr align 8 %to, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  store <16 x i64> %product, ptr %all
  ret void
}
; A product far away, as long as nobody else needs what is in between.
; CHECK-LABEL: @chain
; CHECK-NOT: mul {{.*}}<16 x i64>
; CHECK: store <4 x i64>
define void @chain(<16 x float> %floats, ptr %to) {
  %bits = bitcast <16 x float> %floats to <16 x i32>
  %wide = zext <16 x i32> %bits to <16 x i64>
  %p0 = mul <16 x i64> %wide, splat (i64 1000003)
  %s1 = add <16 x i64> %p0, splat (i64 17)
  %p1 = mul <16 x i64> %s1, splat (i64 1000003)
  %s2 = add <16 x i64> %p1, splat (i64 18)
  %p2 = mul <16 x i64> %s2, splat (i64 1000003)
  %s3 = add <16 x i64> %p2, splat (i64 19)
  %p3 = mul <16 x i64> %s3, splat (i64 1000003)
  %s4 = add <16 x i64> %p3, splat (i64 20)
  %p4 = mul <16 x i64> %s4, splat (i64 1000003)
  %s5 = add <16 x i64> %p4, splat (i64 21)
  %p5 = mul <16 x i64> %s5, splat (i64 1000003)
  %s6 = add <16 x i64> %p5, splat (i64 22)
  %p6 = mul <16 x i64> %s6, splat (i64 1000003)
  call void @llvm.masked.store.v16i64.p0(<16 x i64> %p6, ptr align 8 %to, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  ret void
}

declare void @llvm.masked.store.v16i64.p0(<16 x i64>, ptr, <16 x i1>)
