; What goes in and out: masks as bytes, scalars as they are, what is the same in all lanes without memory, pointers; an
; operation of which only some lanes are known keeps them. What looks across lanes, and integers that need not begin at a
; byte, stay.
; RUN: env LOCKSTEP_CPU=x86-64-v2 lockstep-opt -passes=loop-over-lanes,verify %s | FileCheck %s
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: define void @kernel
; CHECK: zext <64 x i1> %mask to <64 x i8>
; CHECK: %mask8 = shufflevector
; CHECK: %odd1 = add <64 x i33>
; CHECK: lanes:
; CHECK: %[[MASK:.*]] = load <4 x i8>
; CHECK: trunc <4 x i8> %[[MASK]] to <4 x i1>
; CHECK: select <4 x i1>
; CHECK: getelementptr inbounds i32, ptr %base, <4 x i64>
; CHECK: getelementptr inbounds i32, <4 x ptr> %{{.*}}, <4 x i64>
; CHECK: call <4 x double> @llvm.fma.v4f64
; CHECK: call <4 x i1> @llvm.is.fpclass.v4f64(<4 x double> %{{.*}}, i32 3)
; CHECK: zext <4 x i1> %{{.*}} to <4 x i8>
; CHECK: store <4 x i8>
; CHECK: %[[BYTES:.*]] = load <64 x i8>
; CHECK: trunc <64 x i8> %[[BYTES]] to <64 x i1>
declare <64 x double> @llvm.fma.v64f64(<64 x double>, <64 x double>, <64 x double>)
declare <64 x i1> @llvm.is.fpclass.v64f64(<64 x double>, i32)
declare void @use(<64 x i1>, <64 x ptr>, <64 x i1>, <64 x i33>)
define void @kernel(<64 x double> %a, <64 x double> %b, <64 x i1> %mask, ptr %base, <64 x i64> %at, <64 x i33> %odd, double %x) {
  %x1 = insertelement <64 x double> poison, double %x, i64 0
  %v0 = shufflevector <64 x double> %x1, <64 x double> poison, <64 x i32> zeroinitializer
  %mask8 = shufflevector <64 x i1> %mask, <64 x i1> poison, <64 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6, i32 9, i32 8, i32 11, i32 10, i32 13, i32 12, i32 15, i32 14, i32 17, i32 16, i32 19, i32 18, i32 21, i32 20, i32 23, i32 22, i32 25, i32 24, i32 27, i32 26, i32 29, i32 28, i32 31, i32 30, i32 33, i32 32, i32 35, i32 34, i32 37, i32 36, i32 39, i32 38, i32 41, i32 40, i32 43, i32 42, i32 45, i32 44, i32 47, i32 46, i32 49, i32 48, i32 51, i32 50, i32 53, i32 52, i32 55, i32 54, i32 57, i32 56, i32 59, i32 58, i32 61, i32 60, i32 63, i32 62>
  %odd1 = add <64 x i33> %odd, %odd
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
  %v61 = fdiv <64 x double> %v60, %a
  %v62 = fdiv <64 x double> %v61, %b
  %v63 = fdiv <64 x double> %v62, %b
  %v64 = fdiv <64 x double> %v63, %a
  %v65 = fdiv <64 x double> %v64, %b
  %v66 = fdiv <64 x double> %v65, %b
  %v67 = fdiv <64 x double> %v66, %a
  %v68 = fdiv <64 x double> %v67, %b
  %v69 = fdiv <64 x double> %v68, %b
  %v70 = fdiv <64 x double> %v69, %a
  %v71 = fdiv <64 x double> %v70, %b
  %v72 = fdiv <64 x double> %v71, %b
  %v73 = fdiv <64 x double> %v72, %a
  %v74 = fdiv <64 x double> %v73, %b
  %v75 = fdiv <64 x double> %v74, %b
  %v76 = fdiv <64 x double> %v75, %a
  %v77 = fdiv <64 x double> %v76, %b
  %v78 = fdiv <64 x double> %v77, %b
  %v79 = fdiv <64 x double> %v78, %a
  %v80 = fdiv <64 x double> %v79, %b
  %v81 = fdiv <64 x double> %v80, %b
  %v82 = fdiv <64 x double> %v81, %a
  %v83 = fdiv <64 x double> %v82, %b
  %v84 = fdiv <64 x double> %v83, %b
  %v85 = fdiv <64 x double> %v84, %a
  %v86 = fdiv <64 x double> %v85, %b
  %v87 = fdiv <64 x double> %v86, %b
  %v88 = fdiv <64 x double> %v87, %a
  %v89 = fdiv <64 x double> %v88, %b
  %v90 = fdiv <64 x double> %v89, %b
  %v91 = fdiv <64 x double> %v90, %a
  %v92 = fdiv <64 x double> %v91, %b
  %v93 = fdiv <64 x double> %v92, %b
  %v94 = fdiv <64 x double> %v93, %a
  %v95 = fdiv <64 x double> %v94, %b
  %v96 = fdiv <64 x double> %v95, %b
  %v97 = fdiv <64 x double> %v96, %a
  %v98 = fdiv <64 x double> %v97, %b
  %v99 = fdiv <64 x double> %v98, %b
  %v100 = fdiv <64 x double> %v99, %a
  %v101 = fdiv <64 x double> %v100, %b
  %v102 = fdiv <64 x double> %v101, %b
  %v103 = fdiv <64 x double> %v102, %a
  %v104 = fdiv <64 x double> %v103, %b
  %v105 = fdiv <64 x double> %v104, %b
  %v106 = fdiv <64 x double> %v105, %a
  %v107 = fdiv <64 x double> %v106, %b
  %v108 = fdiv <64 x double> %v107, %b
  %v109 = fdiv <64 x double> %v108, %a
  %v110 = fdiv <64 x double> %v109, %b
  %chosen = select <64 x i1> %mask, <64 x double> %v110, <64 x double> splat (double 2.0)
  %p0 = getelementptr inbounds i32, ptr %base, <64 x i64> %at
  %p = getelementptr inbounds i32, <64 x ptr> %p0, <64 x i64> %at
  %fused = call <64 x double> @llvm.fma.v64f64(<64 x double> %chosen, <64 x double> %b, <64 x double> %a)
  %class = call <64 x i1> @llvm.is.fpclass.v64f64(<64 x double> %fused, i32 3)
  call void @use(<64 x i1> %class, <64 x ptr> %p, <64 x i1> %mask8, <64 x i33> %odd1)
  ret void
}
