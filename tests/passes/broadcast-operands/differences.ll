; RUN: lockstep-opt -passes=broadcast-operands %s | FileCheck %s
; The broadcast of a difference of what is loaded and what stays the same in the loop.

; CHECK-LABEL: define void @first(
; CHECK: entry:
; CHECK: %[[NEGATED:.*]] = fneg float %origin
; CHECK: insertelement <16 x float> poison, float %[[NEGATED]]
; CHECK: %[[OUTSIDE:.*]] = shufflevector
; CHECK: loop:
; CHECK: %value = load float
; CHECK: insertelement <16 x float> poison, float %value
; CHECK: %[[LOADED:.*]] = shufflevector
; CHECK: %difference{{.*}} = fadd nnan <16 x float> %[[LOADED]], %[[OUTSIDE]]
; CHECK-NOT: fsub
define void @first(ptr %a, ptr %b, float %origin, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr float, ptr %a, i64 %i
  %value = load float, ptr %at
  %difference = fsub nnan float %value, %origin
  %one = insertelement <16 x float> poison, float %difference, i64 0
  %all = shufflevector <16 x float> %one, <16 x float> poison, <16 x i32> zeroinitializer
  %to = getelementptr <16 x float>, ptr %b, i64 %i
  store <16 x float> %all, ptr %to
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: define void @second(
; CHECK: entry:
; CHECK: %[[OUTSIDE:.*]] = shufflevector
; CHECK: loop:
; CHECK: %[[LOADED:.*]] = shufflevector
; CHECK: %difference{{.*}} = fsub <16 x float> %[[OUTSIDE]], %[[LOADED]]
define void @second(ptr %a, ptr %b, float %origin, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr float, ptr %a, i64 %i
  %value = load float, ptr %at
  %difference = fsub float %origin, %value
  %one = insertelement <16 x float> poison, float %difference, i64 0
  %all = shufflevector <16 x float> %one, <16 x float> poison, <16 x i32> zeroinitializer
  %to = getelementptr <16 x float>, ptr %b, i64 %i
  store <16 x float> %all, ptr %to
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
