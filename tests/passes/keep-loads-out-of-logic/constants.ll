; RUN: env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes=keep-loads-out-of-logic %s | FileCheck %s
; RUN: env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes=keep-loads-out-of-logic %s | llc -mcpu=x86-64-v4 | FileCheck %s --check-prefix=CODE
; RUN: env LOCKSTEP_CPU=haswell lockstep-opt -passes=keep-loads-out-of-logic %s | FileCheck %s --check-prefix=WITHOUT
; A constant is read from memory as well: bits of %a and of %b as it says, where the mask says so (a random kernel's
; bitselect(b, a, 21)).

; WITHOUT-NOT: fence

; CHECK-LABEL: @merge(
; CHECK: [[LOGIC:%.*]] = or disjoint <2 x i32>
; CHECK: [[CAST:%.*]] = bitcast <2 x i32> [[LOGIC]] to <2 x float>
; CHECK: [[FENCE:%.*]] = call <2 x float> @llvm.arithmetic.fence.v2f32(<2 x float> [[CAST]])
; CHECK: [[APART:%.*]] = bitcast <2 x float> [[FENCE]] to <2 x i32>
; CHECK: select <2 x i1> %mask, <2 x i32> [[APART]], <2 x i32> %a
; CODE-LABEL: merge:
; CODE-NOT: vpternlogd {{.*}}{%k1}
; CODE: ret
define <2 x i32> @merge(<2 x i1> %mask, <2 x i32> %a, <2 x i32> %b) {
  %of_a = and <2 x i32> %a, splat (i32 21)
  %of_b = and <2 x i32> %b, splat (i32 -22)
  %both = or disjoint <2 x i32> %of_a, %of_b
  %result = select <2 x i1> %mask, <2 x i32> %both, <2 x i32> %a
  ret <2 x i32> %result
}

; The other arm, more lanes than a register has, and 64 bits.
; CHECK-LABEL: @merge_longs(
; CHECK: fence
; CODE-LABEL: merge_longs:
; CODE-NOT: vpternlogq {{.*}}{%k{{[1-7]}}}
; CODE: ret
define <16 x i64> @merge_longs(<16 x i1> %mask, <16 x i64> %a, <16 x i64> %b) {
  %of_a = and <16 x i64> %a, splat (i64 21)
  %of_b = and <16 x i64> %b, splat (i64 -22)
  %both = or disjoint <16 x i64> %of_a, %of_b
  %result = select <16 x i1> %mask, <16 x i64> %b, <16 x i64> %both
  ret <16 x i64> %result
}

; What the code generator makes a select of the whole.
; CHECK-LABEL: @part(
; CHECK: fence
; CHECK: select
; CODE-LABEL: part:
; CODE-NOT: vpternlogd {{.*}}{%k1}
; CODE: ret
define <4 x i32> @part(<4 x i1> %mask, <4 x i32> %a, <4 x i32> %b, <4 x i32> %c) {
  %differs = xor <4 x i32> %a, %b
  %bit = and <4 x i32> %differs, splat (i32 1)
  %taken = select <4 x i1> %mask, <4 x i32> %bit, <4 x i32> zeroinitializer
  %merged = xor <4 x i32> %taken, %a
  %one = and <4 x i32> %c, splat (i32 1)
  %result = or <4 x i32> %merged, %one
  ret <4 x i32> %result
}

; Signs are bits of a constant.
; CHECK-LABEL: @sign(
; CHECK: fence
define <8 x float> @sign(<8 x i1> %mask, <8 x float> %a, <8 x float> %b) {
  %signed = call <8 x float> @llvm.copysign.v8f32(<8 x float> %a, <8 x float> %b)
  %result = select <8 x i1> %mask, <8 x float> %signed, <8 x float> %a
  ret <8 x float> %result
}

; One operation, no constant, or another value where the mask does not hold: nothing of it is wrong.
; CHECK-LABEL: @fine(
; CHECK-NOT: fence
; CHECK: ret
define <8 x i32> @fine(<8 x i1> %mask, <8 x i32> %a, <8 x i32> %b, <8 x i32> %c) {
  %low = and <8 x i32> %a, splat (i32 21)
  %one = select <8 x i1> %mask, <8 x i32> %low, <8 x i32> %a
  %differs = xor <8 x i32> %one, %b
  %bits = and <8 x i32> %differs, %c
  %merged = xor <8 x i32> %bits, %b
  %two = select <8 x i1> %mask, <8 x i32> %merged, <8 x i32> %b
  %of_two = and <8 x i32> %two, splat (i32 21)
  %of_c = and <8 x i32> %c, splat (i32 -22)
  %both = or disjoint <8 x i32> %of_two, %of_c
  %three = select <8 x i1> %mask, <8 x i32> %both, <8 x i32> zeroinitializer
  ret <8 x i32> %three
}
