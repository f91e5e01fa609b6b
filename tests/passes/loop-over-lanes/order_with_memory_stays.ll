; Between two accesses of memory, only what the second one needs is computed: what nobody needs yet waits, in order, for
; whom it is needed by, and nothing else moves.
; RUN: env LOCKSTEP_CPU=x86-64-v2 lockstep-opt -passes=loop-over-lanes,verify %s | FileCheck %s
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: define void @kernel
; CHECK: %v0 = load <64 x double>, ptr %p
; CHECK: lanes:
; CHECK-NOT: splat (double 7.0
; CHECK: %v60 = load <64 x double>, ptr %{{.*}}, align 64
; CHECK: store <64 x double> %v60, ptr %p
; CHECK-NEXT: %w0 = load <64 x double>, ptr %q
; CHECK: lanes{{[0-9]+}}:
; CHECK-NOT: splat (double 7.0
; CHECK: store <64 x double> %w60, ptr %q
; CHECK: lanes{{[0-9]+}}:
; CHECK: fdiv <4 x double> {{.*}}, splat (double 7.0
; CHECK: store <64 x double> %late, ptr %r
define void @kernel(ptr %p, ptr %q, ptr %r, <64 x double> %a, <64 x double> %b) {
  %v0 = load <64 x double>, ptr %p
  %v1 = fdiv <64 x double> %v0, %a
  %v2 = fdiv <64 x double> %v1, %b
  %v3 = fdiv <64 x double> %v2, %b
  %v4 = fdiv <64 x double> %v3, %a
  %v5 = fdiv <64 x double> %v4, %b
  %v6 = fdiv <64 x double> %v5, %b
  %v7 = fdiv <64 x double> %v6, %a
  %v8 = fdiv <64 x double> %v7, %b
  %v9 = fdiv <64 x double> %v8, %b
  %v10 = fdiv <64 x double> %v9, %a
  %v11 = fdiv <64 x double> %v10, %b
  %v12 = fdiv <64 x double> %v11, %b
  %v13 = fdiv <64 x double> %v12, %a
  %v14 = fdiv <64 x double> %v13, %b
  %v15 = fdiv <64 x double> %v14, %b
  %v16 = fdiv <64 x double> %v15, %a
  %v17 = fdiv <64 x double> %v16, %b
  %v18 = fdiv <64 x double> %v17, %b
  %v19 = fdiv <64 x double> %v18, %a
  %v20 = fdiv <64 x double> %v19, %b
  %v21 = fdiv <64 x double> %v20, %b
  %v22 = fdiv <64 x double> %v21, %a
  %v23 = fdiv <64 x double> %v22, %b
  %v24 = fdiv <64 x double> %v23, %b
  %v25 = fdiv <64 x double> %v24, %a
  %v26 = fdiv <64 x double> %v25, %b
  %v27 = fdiv <64 x double> %v26, %b
  %v28 = fdiv <64 x double> %v27, %a
  %v29 = fdiv <64 x double> %v28, %b
  %v30 = fdiv <64 x double> %v29, %b
  %late1 = fdiv <64 x double> %v30, splat (double 7.0)
  %late2 = fdiv <64 x double> %late1, splat (double 9.0)
  %v31 = fdiv <64 x double> %v30, %a
  %v32 = fdiv <64 x double> %v31, %b
  %v33 = fdiv <64 x double> %v32, %b
  %v34 = fdiv <64 x double> %v33, %a
  %v35 = fdiv <64 x double> %v34, %b
  %v36 = fdiv <64 x double> %v35, %b
  %v37 = fdiv <64 x double> %v36, %a
  %v38 = fdiv <64 x double> %v37, %b
  %v39 = fdiv <64 x double> %v38, %b
  %v40 = fdiv <64 x double> %v39, %a
  %v41 = fdiv <64 x double> %v40, %b
  %v42 = fdiv <64 x double> %v41, %b
  %v43 = fdiv <64 x double> %v42, %a
  %v44 = fdiv <64 x double> %v43, %b
  %v45 = fdiv <64 x double> %v44, %b
  %v46 = fdiv <64 x double> %v45, %a
  %v47 = fdiv <64 x double> %v46, %b
  %v48 = fdiv <64 x double> %v47, %b
  %v49 = fdiv <64 x double> %v48, %a
  %v50 = fdiv <64 x double> %v49, %b
  %v51 = fdiv <64 x double> %v50, %b
  %v52 = fdiv <64 x double> %v51, %a
  %v53 = fdiv <64 x double> %v52, %b
  %v54 = fdiv <64 x double> %v53, %b
  %v55 = fdiv <64 x double> %v54, %a
  %v56 = fdiv <64 x double> %v55, %b
  %v57 = fdiv <64 x double> %v56, %b
  %v58 = fdiv <64 x double> %v57, %a
  %v59 = fdiv <64 x double> %v58, %b
  %v60 = fdiv <64 x double> %v59, %b
  store <64 x double> %v60, ptr %p
  %w0 = load <64 x double>, ptr %q
  %w1 = fdiv <64 x double> %w0, %a
  %w2 = fdiv <64 x double> %w1, %b
  %w3 = fdiv <64 x double> %w2, %b
  %w4 = fdiv <64 x double> %w3, %a
  %w5 = fdiv <64 x double> %w4, %b
  %w6 = fdiv <64 x double> %w5, %b
  %w7 = fdiv <64 x double> %w6, %a
  %w8 = fdiv <64 x double> %w7, %b
  %w9 = fdiv <64 x double> %w8, %b
  %w10 = fdiv <64 x double> %w9, %a
  %w11 = fdiv <64 x double> %w10, %b
  %w12 = fdiv <64 x double> %w11, %b
  %w13 = fdiv <64 x double> %w12, %a
  %w14 = fdiv <64 x double> %w13, %b
  %w15 = fdiv <64 x double> %w14, %b
  %w16 = fdiv <64 x double> %w15, %a
  %w17 = fdiv <64 x double> %w16, %b
  %w18 = fdiv <64 x double> %w17, %b
  %w19 = fdiv <64 x double> %w18, %a
  %w20 = fdiv <64 x double> %w19, %b
  %w21 = fdiv <64 x double> %w20, %b
  %w22 = fdiv <64 x double> %w21, %a
  %w23 = fdiv <64 x double> %w22, %b
  %w24 = fdiv <64 x double> %w23, %b
  %w25 = fdiv <64 x double> %w24, %a
  %w26 = fdiv <64 x double> %w25, %b
  %w27 = fdiv <64 x double> %w26, %b
  %w28 = fdiv <64 x double> %w27, %a
  %w29 = fdiv <64 x double> %w28, %b
  %w30 = fdiv <64 x double> %w29, %b
  %w31 = fdiv <64 x double> %w30, %a
  %w32 = fdiv <64 x double> %w31, %b
  %w33 = fdiv <64 x double> %w32, %b
  %w34 = fdiv <64 x double> %w33, %a
  %w35 = fdiv <64 x double> %w34, %b
  %w36 = fdiv <64 x double> %w35, %b
  %w37 = fdiv <64 x double> %w36, %a
  %w38 = fdiv <64 x double> %w37, %b
  %w39 = fdiv <64 x double> %w38, %b
  %w40 = fdiv <64 x double> %w39, %a
  %w41 = fdiv <64 x double> %w40, %b
  %w42 = fdiv <64 x double> %w41, %b
  %w43 = fdiv <64 x double> %w42, %a
  %w44 = fdiv <64 x double> %w43, %b
  %w45 = fdiv <64 x double> %w44, %b
  %w46 = fdiv <64 x double> %w45, %a
  %w47 = fdiv <64 x double> %w46, %b
  %w48 = fdiv <64 x double> %w47, %b
  %w49 = fdiv <64 x double> %w48, %a
  %w50 = fdiv <64 x double> %w49, %b
  %w51 = fdiv <64 x double> %w50, %b
  %w52 = fdiv <64 x double> %w51, %a
  %w53 = fdiv <64 x double> %w52, %b
  %w54 = fdiv <64 x double> %w53, %b
  %w55 = fdiv <64 x double> %w54, %a
  %w56 = fdiv <64 x double> %w55, %b
  %w57 = fdiv <64 x double> %w56, %b
  %w58 = fdiv <64 x double> %w57, %a
  %w59 = fdiv <64 x double> %w58, %b
  %w60 = fdiv <64 x double> %w59, %b
  %late = fdiv <64 x double> %late2, %w60
  store <64 x double> %w60, ptr %q
  store <64 x double> %late, ptr %r
  ret void
}
