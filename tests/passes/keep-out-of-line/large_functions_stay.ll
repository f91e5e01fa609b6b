; Five calls of 75 instructions are 375 with everything inlined. Below that limit the large function stays one, and is
; simplified by itself; the small one and the body that clang gives a kernel are inlined, whatever their size is.
; RUN: env LOCKSTEP_INLINE_LIMIT=140 lockstep-opt -passes=keep-out-of-line,inline-kernel %s 2>&1 | FileCheck %s
; RUN: env LOCKSTEP_INLINE_LIMIT=1000 lockstep-opt -passes=keep-out-of-line,inline-kernel %s | FileCheck --check-prefix=SMALL %s
; RUN: env LOCKSTEP_INLINE_LIMIT=0 lockstep-opt -passes=keep-out-of-line,inline-kernel %s | FileCheck --check-prefix=ALL %s

; CHECK: remark: functions: 'large' stays a function
; CHECK-LABEL: define spir_kernel void @kernel
; CHECK-COUNT-5: call i64 @large(
; CHECK-NOT: call
; CHECK-LABEL: define internal i64 @large
; CHECK-SAME: #[[KEPT:[0-9]+]]
; CHECK-NOT: alloca
; CHECK-NOT: define
; CHECK: attributes #[[KEPT]] = { noinline {{.*}}"lockstep-out-of-line" }

; SMALL-LABEL: define spir_kernel void @kernel
; SMALL: alloca
; SMALL-NOT: call
; SMALL-NOT: define

; ALL-LABEL: define spir_kernel void @kernel
; ALL: call i64 @large(
; ALL-LABEL: define internal i64 @large
; ALL: call i64 @small(
; ALL-LABEL: define internal i64 @small
; ALL-NOT: define
define spir_kernel void @kernel(ptr addrspace(1) %p) {
  call void @__clang_ocl_kern_imp_kernel(ptr addrspace(1) %p)
  ret void
}

define internal void @__clang_ocl_kern_imp_kernel(ptr addrspace(1) %p) {
  %v0 = load i64, ptr addrspace(1) %p
  %v1 = call i64 @large(i64 %v0, i64 1)
  %v2 = call i64 @large(i64 %v1, i64 2)
  %v3 = call i64 @large(i64 %v2, i64 3)
  %v4 = call i64 @large(i64 %v3, i64 4)
  %v5 = call i64 @large(i64 %v4, i64 5)
  store i64 %v5, ptr addrspace(1) %p
  ret void
}

define internal i64 @large(i64 %a, i64 %b) {
  %variable = alloca i64
  store i64 %a, ptr %variable
  %v0 = load i64, ptr %variable
  %v1 = mul i64 %v0, %b
  %v2 = xor i64 %v1, %v0
  %v3 = mul i64 %v2, %b
  %v4 = xor i64 %v3, %v1
  %v5 = mul i64 %v4, %b
  %v6 = xor i64 %v5, %v2
  %v7 = mul i64 %v6, %b
  %v8 = xor i64 %v7, %v3
  %v9 = mul i64 %v8, %b
  %v10 = xor i64 %v9, %v4
  %v11 = mul i64 %v10, %b
  %v12 = xor i64 %v11, %v5
  %v13 = mul i64 %v12, %b
  %v14 = xor i64 %v13, %v6
  %v15 = mul i64 %v14, %b
  %v16 = xor i64 %v15, %v7
  %v17 = mul i64 %v16, %b
  %v18 = xor i64 %v17, %v8
  %v19 = mul i64 %v18, %b
  %v20 = xor i64 %v19, %v9
  %v21 = mul i64 %v20, %b
  %v22 = xor i64 %v21, %v10
  %v23 = mul i64 %v22, %b
  %v24 = xor i64 %v23, %v11
  %v25 = mul i64 %v24, %b
  %v26 = xor i64 %v25, %v12
  %v27 = mul i64 %v26, %b
  %v28 = xor i64 %v27, %v13
  %v29 = mul i64 %v28, %b
  %v30 = xor i64 %v29, %v14
  %v31 = mul i64 %v30, %b
  %v32 = xor i64 %v31, %v15
  %v33 = mul i64 %v32, %b
  %v34 = xor i64 %v33, %v16
  %v35 = mul i64 %v34, %b
  %v36 = xor i64 %v35, %v17
  %v37 = mul i64 %v36, %b
  %v38 = xor i64 %v37, %v18
  %v39 = mul i64 %v38, %b
  %v40 = xor i64 %v39, %v19
  %v41 = mul i64 %v40, %b
  %v42 = xor i64 %v41, %v20
  %v43 = mul i64 %v42, %b
  %v44 = xor i64 %v43, %v21
  %v45 = mul i64 %v44, %b
  %v46 = xor i64 %v45, %v22
  %v47 = mul i64 %v46, %b
  %v48 = xor i64 %v47, %v23
  %v49 = mul i64 %v48, %b
  %v50 = xor i64 %v49, %v24
  %v51 = mul i64 %v50, %b
  %v52 = xor i64 %v51, %v25
  %v53 = mul i64 %v52, %b
  %v54 = xor i64 %v53, %v26
  %v55 = mul i64 %v54, %b
  %v56 = xor i64 %v55, %v27
  %v57 = mul i64 %v56, %b
  %v58 = xor i64 %v57, %v28
  %v59 = mul i64 %v58, %b
  %v60 = xor i64 %v59, %v29
  %v61 = mul i64 %v60, %b
  %v62 = xor i64 %v61, %v30
  %v63 = mul i64 %v62, %b
  %v64 = xor i64 %v63, %v31
  %v65 = mul i64 %v64, %b
  %v66 = xor i64 %v65, %v32
  %v67 = mul i64 %v66, %b
  %v68 = call i64 @small(i64 %v67)
  ret i64 %v68
}

define internal i64 @small(i64 %a) {
  %v1 = add i64 %a, 1
  %v2 = mul i64 %v1, %a
  ret i64 %v2
}
