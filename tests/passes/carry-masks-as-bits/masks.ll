; RUN: env LOCKSTEP_CPU=haswell lockstep-opt -passes=carry-masks-as-bits %s | FileCheck %s
; RUN: env LOCKSTEP_CPU=haswell lockstep-opt -passes=carry-masks-as-bits %s | llc -O2 -mcpu=haswell | FileCheck %s --check-prefix=CODE
; RUN: env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes=carry-masks-as-bits %s | FileCheck %s --check-prefix=WITHOUT
; RUN: env LOCKSTEP_CPU=x86-64-v2 lockstep-opt -passes=carry-masks-as-bits %s | FileCheck %s --check-prefix=NARROW
declare void @use(i64)

; A phi of masks is a phi of bits, and so is a mask that another block uses. An undefined lane leaves the other lanes defined.
; CHECK-LABEL: @phi(
; CHECK: %[[D:.*]] = icmp slt
; CHECK: %[[FROZEN:.*]] = freeze <64 x i1> %[[D]]
; CHECK: %[[BITS:.*]] = bitcast <64 x i1> %[[FROZEN]] to i64
; CHECK: next:
; CHECK: join:
; CHECK: %[[PHI:.*]] = phi i64 [ %[[BITS]], %entry ], [ 1, %next ]
; CHECK: %[[MASK:.*]] = bitcast i64 %[[PHI]] to <64 x i1>
; CHECK: select <64 x i1> %[[MASK]]
; CODE-LABEL: phi:
; CODE-NOT: vpinsrb
; CODE: retq
; WITHOUT-LABEL: @phi(
; WITHOUT-NOT: bitcast
; WITHOUT: phi <64 x i1>
define void @phi(ptr %p, i1 %c, <64 x i8> %x, <64 x i8> %y) {
entry:
  %d = icmp slt <64 x i8> %x, %y
  br i1 %c, label %next, label %join
next:
  call void @use(i64 0)
  br label %join
join:
  %m = phi <64 x i1> [ %d, %entry ], [ <i1 true, i1 poison, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0>, %next ]
  %s = select <64 x i1> %m, <64 x i8> %x, <64 x i8> %y
  store <64 x i8> %s, ptr %p
  ret void
}

; Phis of a loop that take each other's value.
; CHECK-LABEL: @cycle(
; CHECK: loop:
; CHECK: %[[A:.*]] = phi i64 [ 0, %entry ], [ %[[B:.*]], %loop ]
; CHECK: %[[B]] = phi i64 [ -1, %entry ], [ %[[A]], %loop ]
; CHECK: end:
; CHECK: ret i64 %[[A]]
define i64 @cycle(i1 %c) {
entry:
  br label %loop
loop:
  %a = phi <64 x i1> [ zeroinitializer, %entry ], [ %b, %loop ]
  %b = phi <64 x i1> [ splat (i1 true), %entry ], [ %a, %loop ]
  br i1 %c, label %loop, label %end
end:
  %bits = bitcast <64 x i1> %a to i64
  ret i64 %bits
}

; Operations on masks from other blocks are operations on bits. The branch's condition and the select's are not changed.
; CHECK-LABEL: @logic(
; CHECK: next:
; CHECK: %[[NOW:.*]] = bitcast <64 x i1> %{{.*}} to i64
; CHECK: %[[OR:.*]] = or i64 %[[BEFORE:.*]], %[[NOW]]
; CHECK: %[[YES:.*]] = and i64 %[[OR]], %[[BEFORE]]
; CHECK: %[[NOT:.*]] = xor i64 %[[OR]], -1
; CHECK: %[[NO:.*]] = and i64 %[[NOT]], %[[NOW]]
; CHECK: %[[BOTH:.*]] = or i64 %[[YES]], %[[NO]]
; CHECK: %[[ONE:.*]] = select i1 %c, i64 %[[BOTH]], i64 %[[BEFORE]]
; CHECK: bitcast i64 %[[ONE]] to <64 x i1>
; CODE-LABEL: logic:
; CODE-NOT: vpinsrb
; CODE: retq
define void @logic(ptr %p, i1 %c, <64 x i8> %x, <64 x i64> %y) {
entry:
  %d = icmp slt <64 x i8> %x, zeroinitializer
  br i1 %c, label %next, label %end
next:
  %e = icmp slt <64 x i64> %y, zeroinitializer
  %or = or <64 x i1> %d, %e
  %both = select <64 x i1> %or, <64 x i1> %d, <64 x i1> %e
  %one = select i1 %c, <64 x i1> %both, <64 x i1> %d
  store <64 x i1> %one, ptr %p
  br label %end
end:
  ret void
}

; A mask of 32 lanes fits a register of AVX2, but none of SSE.
; CHECK-LABEL: @narrow(
; CHECK-NOT: bitcast
; CHECK: phi <32 x i1>
; NARROW-LABEL: @narrow(
; NARROW: phi i32
; A mask that no other block uses stays, and so do numbers.
; CHECK: select <32 x i1>
; NARROW-LABEL: @within(
; NARROW-NOT: bitcast
; NARROW: ret
define <32 x i8> @narrow(i1 %c, <32 x i8> %x, <32 x i8> %y) {
entry:
  %d = icmp slt <32 x i8> %x, %y
  br i1 %c, label %next, label %join
next:
  %e = icmp sgt <32 x i8> %x, %y
  br label %join
join:
  %m = phi <32 x i1> [ %d, %entry ], [ %e, %next ]
  %s = select <32 x i1> %m, <32 x i8> %x, <32 x i8> %y
  ret <32 x i8> %s
}
define <64 x i8> @within(<64 x i8> %x, <64 x i8> %y) {
  %d = icmp slt <64 x i8> %x, %y
  %s = select <64 x i1> %d, <64 x i8> %x, <64 x i8> %y
  ret <64 x i8> %s
}
