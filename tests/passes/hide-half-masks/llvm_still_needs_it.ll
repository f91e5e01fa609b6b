; RUN: llc -O2 -mcpu=x86-64-v4 %s -o - | FileCheck %s
; LLVM without the pass: the upper eight lanes of the comparison are to be off, which `kmovb %k0, %k1` does; it is gone, as a
; copy, where its result is stored to the stack. A failure here means that LLVM no longer needs hide-half-masks.
; Upstream: none was found on 2026-11-24.

; CHECK: vpcmpltud
; CHECK-NOT: kmovb
; CHECK: kmovw %k0, {{.*}}(%rsp)
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
