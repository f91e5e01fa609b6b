; Up to 512 lanes of calls stay in line, and so do any number of vectors of a register.
; RUN: env LOCKSTEP_CPU=x86-64-v2 lockstep-opt -passes=outline-lane-code %s | FileCheck %s
target triple = "x86_64-unknown-linux-gnu"

; CHECK-NOT: @lockstep.lanes
define <64 x float> @kernel(<64 x float> %v0, <64 x float> %b, <64 x float> %c) {
  %v1 = call <64 x float> @llvm.fma.v64f32(<64 x float> %v0, <64 x float> %b, <64 x float> %c)
  %v2 = call <64 x float> @llvm.fma.v64f32(<64 x float> %v1, <64 x float> %b, <64 x float> %c)
  %v3 = call <64 x float> @llvm.fma.v64f32(<64 x float> %v2, <64 x float> %b, <64 x float> %c)
  %v4 = call <64 x float> @llvm.fma.v64f32(<64 x float> %v3, <64 x float> %b, <64 x float> %c)
  %v5 = call <64 x float> @llvm.fma.v64f32(<64 x float> %v4, <64 x float> %b, <64 x float> %c)
  %v6 = call <64 x float> @llvm.fma.v64f32(<64 x float> %v5, <64 x float> %b, <64 x float> %c)
  %v7 = call <64 x float> @llvm.fma.v64f32(<64 x float> %v6, <64 x float> %b, <64 x float> %c)
  %v8 = call <64 x float> @llvm.fma.v64f32(<64 x float> %v7, <64 x float> %b, <64 x float> %c)
  ret <64 x float> %v8
}

define <4 x i32> @of_a_register(<4 x i32> %v0, <4 x i32> %by) {
  %v1 = udiv <4 x i32> %v0, %by
  %v2 = udiv <4 x i32> %v1, %by
  %v3 = udiv <4 x i32> %v2, %by
  %v4 = udiv <4 x i32> %v3, %by
  %v5 = udiv <4 x i32> %v4, %by
  %v6 = udiv <4 x i32> %v5, %by
  %v7 = udiv <4 x i32> %v6, %by
  %v8 = udiv <4 x i32> %v7, %by
  %v9 = udiv <4 x i32> %v8, %by
  %v10 = udiv <4 x i32> %v9, %by
  %v11 = udiv <4 x i32> %v10, %by
  %v12 = udiv <4 x i32> %v11, %by
  %v13 = udiv <4 x i32> %v12, %by
  %v14 = udiv <4 x i32> %v13, %by
  %v15 = udiv <4 x i32> %v14, %by
  %v16 = udiv <4 x i32> %v15, %by
  %v17 = udiv <4 x i32> %v16, %by
  %v18 = udiv <4 x i32> %v17, %by
  %v19 = udiv <4 x i32> %v18, %by
  %v20 = udiv <4 x i32> %v19, %by
  %v21 = udiv <4 x i32> %v20, %by
  %v22 = udiv <4 x i32> %v21, %by
  %v23 = udiv <4 x i32> %v22, %by
  %v24 = udiv <4 x i32> %v23, %by
  %v25 = udiv <4 x i32> %v24, %by
  %v26 = udiv <4 x i32> %v25, %by
  %v27 = udiv <4 x i32> %v26, %by
  %v28 = udiv <4 x i32> %v27, %by
  %v29 = udiv <4 x i32> %v28, %by
  %v30 = udiv <4 x i32> %v29, %by
  %v31 = udiv <4 x i32> %v30, %by
  %v32 = udiv <4 x i32> %v31, %by
  %v33 = udiv <4 x i32> %v32, %by
  %v34 = udiv <4 x i32> %v33, %by
  %v35 = udiv <4 x i32> %v34, %by
  %v36 = udiv <4 x i32> %v35, %by
  %v37 = udiv <4 x i32> %v36, %by
  %v38 = udiv <4 x i32> %v37, %by
  %v39 = udiv <4 x i32> %v38, %by
  %v40 = udiv <4 x i32> %v39, %by
  %v41 = udiv <4 x i32> %v40, %by
  %v42 = udiv <4 x i32> %v41, %by
  %v43 = udiv <4 x i32> %v42, %by
  %v44 = udiv <4 x i32> %v43, %by
  %v45 = udiv <4 x i32> %v44, %by
  %v46 = udiv <4 x i32> %v45, %by
  %v47 = udiv <4 x i32> %v46, %by
  %v48 = udiv <4 x i32> %v47, %by
  %v49 = udiv <4 x i32> %v48, %by
  %v50 = udiv <4 x i32> %v49, %by
  %v51 = udiv <4 x i32> %v50, %by
  %v52 = udiv <4 x i32> %v51, %by
  %v53 = udiv <4 x i32> %v52, %by
  %v54 = udiv <4 x i32> %v53, %by
  %v55 = udiv <4 x i32> %v54, %by
  %v56 = udiv <4 x i32> %v55, %by
  %v57 = udiv <4 x i32> %v56, %by
  %v58 = udiv <4 x i32> %v57, %by
  %v59 = udiv <4 x i32> %v58, %by
  %v60 = udiv <4 x i32> %v59, %by
  %v61 = udiv <4 x i32> %v60, %by
  %v62 = udiv <4 x i32> %v61, %by
  %v63 = udiv <4 x i32> %v62, %by
  %v64 = udiv <4 x i32> %v63, %by
  %v65 = udiv <4 x i32> %v64, %by
  %v66 = udiv <4 x i32> %v65, %by
  %v67 = udiv <4 x i32> %v66, %by
  %v68 = udiv <4 x i32> %v67, %by
  %v69 = udiv <4 x i32> %v68, %by
  %v70 = udiv <4 x i32> %v69, %by
  %v71 = udiv <4 x i32> %v70, %by
  %v72 = udiv <4 x i32> %v71, %by
  %v73 = udiv <4 x i32> %v72, %by
  %v74 = udiv <4 x i32> %v73, %by
  %v75 = udiv <4 x i32> %v74, %by
  %v76 = udiv <4 x i32> %v75, %by
  %v77 = udiv <4 x i32> %v76, %by
  %v78 = udiv <4 x i32> %v77, %by
  %v79 = udiv <4 x i32> %v78, %by
  %v80 = udiv <4 x i32> %v79, %by
  %v81 = udiv <4 x i32> %v80, %by
  %v82 = udiv <4 x i32> %v81, %by
  %v83 = udiv <4 x i32> %v82, %by
  %v84 = udiv <4 x i32> %v83, %by
  %v85 = udiv <4 x i32> %v84, %by
  %v86 = udiv <4 x i32> %v85, %by
  %v87 = udiv <4 x i32> %v86, %by
  %v88 = udiv <4 x i32> %v87, %by
  %v89 = udiv <4 x i32> %v88, %by
  %v90 = udiv <4 x i32> %v89, %by
  %v91 = udiv <4 x i32> %v90, %by
  %v92 = udiv <4 x i32> %v91, %by
  %v93 = udiv <4 x i32> %v92, %by
  %v94 = udiv <4 x i32> %v93, %by
  %v95 = udiv <4 x i32> %v94, %by
  %v96 = udiv <4 x i32> %v95, %by
  %v97 = udiv <4 x i32> %v96, %by
  %v98 = udiv <4 x i32> %v97, %by
  %v99 = udiv <4 x i32> %v98, %by
  %v100 = udiv <4 x i32> %v99, %by
  %v101 = udiv <4 x i32> %v100, %by
  %v102 = udiv <4 x i32> %v101, %by
  %v103 = udiv <4 x i32> %v102, %by
  %v104 = udiv <4 x i32> %v103, %by
  %v105 = udiv <4 x i32> %v104, %by
  %v106 = udiv <4 x i32> %v105, %by
  %v107 = udiv <4 x i32> %v106, %by
  %v108 = udiv <4 x i32> %v107, %by
  %v109 = udiv <4 x i32> %v108, %by
  %v110 = udiv <4 x i32> %v109, %by
  %v111 = udiv <4 x i32> %v110, %by
  %v112 = udiv <4 x i32> %v111, %by
  %v113 = udiv <4 x i32> %v112, %by
  %v114 = udiv <4 x i32> %v113, %by
  %v115 = udiv <4 x i32> %v114, %by
  %v116 = udiv <4 x i32> %v115, %by
  %v117 = udiv <4 x i32> %v116, %by
  %v118 = udiv <4 x i32> %v117, %by
  %v119 = udiv <4 x i32> %v118, %by
  %v120 = udiv <4 x i32> %v119, %by
  %v121 = udiv <4 x i32> %v120, %by
  %v122 = udiv <4 x i32> %v121, %by
  %v123 = udiv <4 x i32> %v122, %by
  %v124 = udiv <4 x i32> %v123, %by
  %v125 = udiv <4 x i32> %v124, %by
  %v126 = udiv <4 x i32> %v125, %by
  %v127 = udiv <4 x i32> %v126, %by
  %v128 = udiv <4 x i32> %v127, %by
  %v129 = udiv <4 x i32> %v128, %by
  ret <4 x i32> %v129
}

; A constant divisor is a multiplication.
define <64 x i32> @by_a_constant(<64 x i32> %v0) {
  %v1 = udiv <64 x i32> %v0, splat (i32 3)
  %v2 = udiv <64 x i32> %v1, splat (i32 4)
  %v3 = udiv <64 x i32> %v2, splat (i32 5)
  %v4 = udiv <64 x i32> %v3, splat (i32 6)
  %v5 = udiv <64 x i32> %v4, splat (i32 7)
  %v6 = udiv <64 x i32> %v5, splat (i32 8)
  %v7 = udiv <64 x i32> %v6, splat (i32 9)
  %v8 = udiv <64 x i32> %v7, splat (i32 10)
  %v9 = udiv <64 x i32> %v8, splat (i32 11)
  ret <64 x i32> %v9
}
