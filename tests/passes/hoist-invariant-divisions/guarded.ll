; RUN: lockstep-opt -passes=hoist-invariant-divisions %s | FileCheck %s
; What no round changes is divided before the outer loop, also if no round should want it.

; CHECK-LABEL: @kernel
; CHECK: entry:
; CHECK: %[[DIVISOR:.*]] = freeze i32 %divisor
; CHECK: %divisor.is.zero = icmp eq i32 %[[DIVISOR]], 0
; CHECK: %overflows = and i1
; CHECK: %safe.divisor = select i1 %{{.*}}, i32 1, i32 %[[DIVISOR]]
; CHECK: %quotient = sdiv i32 %{{.*}}, %safe.divisor
; CHECK: %rest = urem i32 %{{.*}}, %safe.divisor
; CHECK-NEXT: br label %outer
; CHECK: guarded:
; CHECK-NEXT: %own = udiv i32 %i, %divisor
define i32 @kernel(i32 %dividend, i32 %divisor, i32 %n) {
entry:
  br label %outer
outer:
  %j = phi i32 [ 0, %entry ], [ %j.next, %outer.latch ]
  br label %inner
inner:
  %i = phi i32 [ 0, %outer ], [ %i.next, %latch ]
  %sum = phi i32 [ %j, %outer ], [ %sum.next, %latch ]
  %low = and i32 %i, 3
  %wanted = icmp ne i32 %low, 1
  br i1 %wanted, label %guarded, label %latch
guarded:
  %quotient = sdiv i32 %dividend, %divisor
  %rest = urem i32 %quotient, %divisor
  %own = udiv i32 %i, %divisor
  %all = add i32 %rest, %own
  br label %latch
latch:
  %more = phi i32 [ 0, %inner ], [ %all, %guarded ]
  %sum.next = add i32 %sum, %more
  %i.next = add i32 %i, 1
  %again = icmp ult i32 %i.next, %n
  br i1 %again, label %inner, label %outer.latch
outer.latch:
  %j.next = add i32 %sum.next, 1
  %more.rounds = icmp ult i32 %j.next, %n
  br i1 %more.rounds, label %outer, label %end
end:
  ret i32 %j.next
}
