; RUN: env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes=hide-half-masks %s | FileCheck %s
; RUN: env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes=hide-half-masks %s | llc -O2 -mcpu=x86-64-v4 | FileCheck %s --check-prefix=CODE
; RUN: env LOCKSTEP_CPU=haswell lockstep-opt -passes=hide-half-masks %s | FileCheck %s --check-prefix=WITHOUT
; Which lanes are active comes from a number that nobody knows: as a select, and as InstCombine writes it.

; CHECK-LABEL: @kernel(
; CHECK: [[BITS:%.*]] = call i16 asm "", "=r,0"(i16 255)
; CHECK: [[MASK:%.*]] = bitcast i16 [[BITS]] to <16 x i1>
; CHECK: %lower{{.*}} = select <16 x i1> [[MASK]], <16 x i1> %c, <16 x i1> zeroinitializer
; CODE-LABEL: kernel:
; CODE: movw $255, %ax
; CODE: kmovd %eax, %k
; CODE: vpcmpltud {{.*}} {%k
; CODE: kmovw
; WITHOUT-LABEL: @kernel(
; WITHOUT: %lower = shufflevector
declare void @use(i16)
define void @kernel(<16 x i32> %a, <16 x i32> %b, i32 %n) {
entry:
  %c = icmp ult <16 x i32> %a, %b
  %lower = shufflevector <16 x i1> %c, <16 x i1> zeroinitializer, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %rest ]
  call void @use(i16 0)
  %bits = bitcast <16 x i1> %lower to i16
  %any = icmp eq i16 %bits, 0
  br i1 %any, label %rest, label %some
some:
  call void @use(i16 1)
  br label %rest
rest:
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: @selected(
; CHECK-DAG: [[LOW:%.*]] = call i32 asm "", "=r,0"(i32 7)
; CHECK-DAG: bitcast i32 [[LOW]] to <32 x i1>
; CHECK: %all = and <16 x i1> %b, splat (i1 true)
; CHECK: %upper = select <16 x i1> <i1 false, i1 false,
; CHECK: %few = and <8 x i1> %c, <i1 true, i1 false,
define void @selected(<32 x i1> %a, <16 x i1> %b, <8 x i1> %c, ptr %p) {
  %lower = select <32 x i1> <i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>, <32 x i1> %a, <32 x i1> zeroinitializer
  store <32 x i1> %lower, ptr %p
  %all = and <16 x i1> %b, splat (i1 true)
  store <16 x i1> %all, ptr %p
  %upper = select <16 x i1> <i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <16 x i1> %b, <16 x i1> zeroinitializer
  store <16 x i1> %upper, ptr %p
  %few = and <8 x i1> %c, <i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>
  store <8 x i1> %few, ptr %p
  ret void
}
