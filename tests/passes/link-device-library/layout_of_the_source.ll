; RUN: lockstep-opt -passes=link-device-library %s | FileCheck %s
; The host aligns i128 to 16 bytes, spir64 to 8: bit-fields of a packed structure stay where the source has them.

; CHECK-LABEL: define {{.*}}@lockstep.kernel(
; CHECK-SAME: ptr byval([24 x i8]) align 8 %by_value
; CHECK: getelementptr {{.*}}i8, ptr addrspace(1) %s, i64 32
; CHECK: %scaled{{.*}} = mul {{.*}}i64 %i, 24
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

%bits = type { i64, i128 }

define spir_kernel void @k(ptr addrspace(1) %s, i64 %i, ptr byval(%bits) align 8 %by_value) {
  %second = getelementptr inbounds %bits, ptr addrspace(1) %s, i64 1, i32 1
  store i128 1, ptr addrspace(1) %second, align 1
  %scaled = getelementptr inbounds %bits, ptr addrspace(1) %s, i64 %i
  store i64 1, ptr addrspace(1) %scaled
  ret void
}
