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
declare void @llvm.masked.store.v16i64.p0(<16 x i64>, ptr, <16 x i1>)
