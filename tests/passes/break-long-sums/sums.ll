; RUN: lockstep-opt -passes=break-long-sums %s | FileCheck %s
target triple = "x86_64-unknown-linux-gnu"

; The counter is a term: the sum ends at 17, and a new one begins that has no counter.
; CHECK-LABEL: @counted(
; CHECK: %s15 = sub i64 %s14, %x15
; CHECK-NEXT: %s15.broken = freeze i64 %s15
; CHECK-NEXT: store volatile i64 %s15.broken
; CHECK: sub i64 %s15.broken, %x16
; CHECK-NOT: freeze
; CHECK: ret void
define void @counted(i64 %x0, i64 %x1, i64 %x2, i64 %x3, i64 %x4, i64 %x5, i64 %x6, i64 %x7, i64 %x8, i64 %x9, i64 %x10, i64 %x11, i64 %x12, i64 %x13, i64 %x14, i64 %x15, i64 %x16, i64 %x17, i64 %x18, i64 %x19, i64 %x20, i64 %x21, i64 %x22, i64 %x23, i64 %x24, i64 %x25, i64 %x26, i64 %x27, i64 %x28, i64 %x29, i64 %x30, i64 %x31, i64 %x32, i64 %x33, i64 %x34, i64 %x35, ptr %q, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s0 = sub i64 %i, %x0
  %s1 = sub i64 %s0, %x1
  %s2 = sub i64 %s1, %x2
  %s3 = sub i64 %s2, %x3
  %s4 = sub i64 %s3, %x4
  %s5 = sub i64 %s4, %x5
  %s6 = sub i64 %s5, %x6
  %s7 = sub i64 %s6, %x7
  %s8 = sub i64 %s7, %x8
  %s9 = sub i64 %s8, %x9
  %s10 = sub i64 %s9, %x10
  %s11 = sub i64 %s10, %x11
  %s12 = sub i64 %s11, %x12
  %s13 = sub i64 %s12, %x13
  %s14 = sub i64 %s13, %x14
  %s15 = sub i64 %s14, %x15
  store volatile i64 %s15, ptr %q
  %s16 = sub i64 %s15, %x16
  %s17 = sub i64 %s16, %x17
  %s18 = sub i64 %s17, %x18
  %s19 = sub i64 %s18, %x19
  %s20 = sub i64 %s19, %x20
  %s21 = sub i64 %s20, %x21
  %s22 = sub i64 %s21, %x22
  %s23 = sub i64 %s22, %x23
  %s24 = sub i64 %s23, %x24
  %s25 = sub i64 %s24, %x25
  %s26 = sub i64 %s25, %x26
  %s27 = sub i64 %s26, %x27
  %s28 = sub i64 %s27, %x28
  %s29 = sub i64 %s28, %x29
  %s30 = sub i64 %s29, %x30
  %s31 = sub i64 %s30, %x31
  %s32 = sub i64 %s31, %x32
  %s33 = sub i64 %s32, %x33
  %s34 = sub i64 %s33, %x34
  %s35 = sub i64 %s34, %x35
  store volatile i64 %s35, ptr %q
  %next = add nuw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end

end:
  ret void
}

; A loop adds its counter to sums from outside.
; CHECK-LABEL: @used_in_loop(
; CHECK: %s16.broken = freeze i64 %s16
; CHECK: add i64 %s16.broken, %x17
; CHECK: add i64 %s16.broken, %i
; CHECK-NOT: freeze
; CHECK: ret void
define void @used_in_loop(i64 %x0, i64 %x1, i64 %x2, i64 %x3, i64 %x4, i64 %x5, i64 %x6, i64 %x7, i64 %x8, i64 %x9, i64 %x10, i64 %x11, i64 %x12, i64 %x13, i64 %x14, i64 %x15, i64 %x16, i64 %x17, i64 %x18, i64 %x19, i64 %x20, ptr %q, i64 %n) {
entry:
  %s0 = add i64 %n, %x0
  %s1 = add i64 %s0, %x1
  %s2 = add i64 %s1, %x2
  %s3 = add i64 %s2, %x3
  %s4 = add i64 %s3, %x4
  %s5 = add i64 %s4, %x5
  %s6 = add i64 %s5, %x6
  %s7 = add i64 %s6, %x7
  %s8 = add i64 %s7, %x8
  %s9 = add i64 %s8, %x9
  %s10 = add i64 %s9, %x10
  %s11 = add i64 %s10, %x11
  %s12 = add i64 %s11, %x12
  %s13 = add i64 %s12, %x13
  %s14 = add i64 %s13, %x14
  %s15 = add i64 %s14, %x15
  %s16 = add i64 %s15, %x16
  %s17 = add i64 %s16, %x17
  %s18 = add i64 %s17, %x18
  %s19 = add i64 %s18, %x19
  %s20 = add i64 %s19, %x20
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %t = add i64 %s16, %i
  %u = add i64 %s20, %i
  store volatile i64 %t, ptr %q
  store volatile i64 %u, ptr %q
  %next = add nuw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end

end:
  ret void
}

; No more than 16 terms: nothing is done.
; CHECK-LABEL: @short(
; CHECK-NOT: freeze
; CHECK: ret void
define void @short(i64 %x0, i64 %x1, i64 %x2, i64 %x3, i64 %x4, i64 %x5, i64 %x6, i64 %x7, i64 %x8, i64 %x9, i64 %x10, i64 %x11, i64 %x12, i64 %x13, i64 %x14, ptr %q, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s0 = add i64 %i, %x0
  %s1 = add i64 %s0, %x1
  %s2 = add i64 %s1, %x2
  %s3 = add i64 %s2, %x3
  %s4 = add i64 %s3, %x4
  %s5 = add i64 %s4, %x5
  %s6 = add i64 %s5, %x6
  %s7 = add i64 %s6, %x7
  %s8 = add i64 %s7, %x8
  %s9 = add i64 %s8, %x9
  %s10 = add i64 %s9, %x10
  %s11 = add i64 %s10, %x11
  %s12 = add i64 %s11, %x12
  %s13 = add i64 %s12, %x13
  %s14 = add i64 %s13, %x14
  store volatile i64 %s14, ptr %q
  %next = add nuw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end

end:
  ret void
}

; The loop adds something else in each round.
; CHECK-LABEL: @accumulated(
; CHECK-NOT: freeze
; CHECK: ret void
define void @accumulated(i64 %x0, i64 %x1, i64 %x2, i64 %x3, i64 %x4, i64 %x5, i64 %x6, i64 %x7, i64 %x8, i64 %x9, i64 %x10, i64 %x11, i64 %x12, i64 %x13, i64 %x14, i64 %x15, i64 %x16, i64 %x17, i64 %x18, i64 %x19, ptr %q, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %last, %loop ]
  %s0 = add i64 %sum, %x0
  %s1 = add i64 %s0, %x1
  %s2 = add i64 %s1, %x2
  %s3 = add i64 %s2, %x3
  %s4 = add i64 %s3, %x4
  %s5 = add i64 %s4, %x5
  %s6 = add i64 %s5, %x6
  %s7 = add i64 %s6, %x7
  %s8 = add i64 %s7, %x8
  %s9 = add i64 %s8, %x9
  %s10 = add i64 %s9, %x10
  %s11 = add i64 %s10, %x11
  %s12 = add i64 %s11, %x12
  %s13 = add i64 %s12, %x13
  %s14 = add i64 %s13, %x14
  %s15 = add i64 %s14, %x15
  %s16 = add i64 %s15, %x16
  %s17 = add i64 %s16, %x17
  %s18 = add i64 %s17, %x18
  %s19 = add i64 %s18, %x19
  %different = load volatile i64, ptr %q
  %last = add i64 %s19, %different
  store volatile i64 %last, ptr %q
  %next = add nuw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end

end:
  ret void
}

; A sum that no loop uses.
; CHECK-LABEL: @outside(
; CHECK-NOT: freeze
; CHECK: ret void
define void @outside(i64 %x0, i64 %x1, i64 %x2, i64 %x3, i64 %x4, i64 %x5, i64 %x6, i64 %x7, i64 %x8, i64 %x9, i64 %x10, i64 %x11, i64 %x12, i64 %x13, i64 %x14, i64 %x15, i64 %x16, i64 %x17, i64 %x18, i64 %x19, ptr %q, i64 %n) {
entry:
  %s0 = add i64 %n, %x0
  %s1 = add i64 %s0, %x1
  %s2 = add i64 %s1, %x2
  %s3 = add i64 %s2, %x3
  %s4 = add i64 %s3, %x4
  %s5 = add i64 %s4, %x5
  %s6 = add i64 %s5, %x6
  %s7 = add i64 %s6, %x7
  %s8 = add i64 %s7, %x8
  %s9 = add i64 %s8, %x9
  %s10 = add i64 %s9, %x10
  %s11 = add i64 %s10, %x11
  %s12 = add i64 %s11, %x12
  %s13 = add i64 %s12, %x13
  %s14 = add i64 %s13, %x14
  %s15 = add i64 %s14, %x15
  %s16 = add i64 %s15, %x16
  %s17 = add i64 %s16, %x17
  %s18 = add i64 %s17, %x18
  %s19 = add i64 %s18, %x19
  store volatile i64 %s19, ptr %q
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  store volatile i64 %i, ptr %q
  %next = add nuw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end

end:
  ret void
}
