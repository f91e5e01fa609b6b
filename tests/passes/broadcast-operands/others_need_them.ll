; RUN: lockstep-opt -passes=broadcast-operands %s | FileCheck %s
; What is left alone: sums that somebody else needs as scalars, and what changes in the loop.

; CHECK-NOT: fadd <16 x float>
; CHECK-NOT: fmul <16 x float>
define void @kept(ptr %a, ptr %b, ptr %c, float %origin, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr float, ptr %a, i64 %i
  %value = load float, ptr %at
  %sum = fadd float %value, %origin
  store float %sum, ptr %c
  %one = insertelement <16 x float> poison, float %sum, i64 0
  %all = shufflevector <16 x float> %one, <16 x float> poison, <16 x i32> zeroinitializer
  %to = getelementptr <16 x float>, ptr %b, i64 %i
  store <16 x float> %all, ptr %to
  %again = load float, ptr %at
  %changing = load float, ptr %c
  %product = fmul float %again, %changing
  %first = insertelement <16 x float> poison, float %product, i64 0
  %products = shufflevector <16 x float> %first, <16 x float> poison, <16 x i32> zeroinitializer
  store <16 x float> %products, ptr %to
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
