; RUN: lockstep-opt -passes=link-device-library %s | FileCheck %s
; The host aligns i128 to 16 bytes, spir64 to 8: bit-fields of a packed structure stay where the source has them.

; CHECK-LABEL: define {{.*}}@lockstep.kernel(
; CHECK-SAME: ptr byval([24 x i8]) align 8 %by_value
; CHECK: getelementptr {{.*}}i8, ptr addrspace(1) %s, i64 32
; CHECK: %scaled{{.*}} = mul {{.*}}i64 %i, 24
; Whole structures: each member from its place, and to it.
; CHECK: load i64, ptr addrspace(1) {{.*}}, align 8
; CHECK: [[WIDE:%.*]] = getelementptr {{.*}}i8, ptr addrspace(1) %t, i64 8
; CHECK: load i128, ptr addrspace(1) [[WIDE]], align 8
; CHECK: [[LAST:%.*]] = getelementptr {{.*}}i8, ptr addrspace(1) %t, i64 24
; CHECK: load [2 x i16], ptr addrspace(1) [[LAST]], align 8
; CHECK: [[THERE:%.*]] = getelementptr {{.*}}i8, ptr addrspace(1) %s, i64 24
; CHECK: store volatile [2 x i16] {{.*}}, ptr addrspace(1) [[THERE]], align 1
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

%bits = type { i64, i128 }
%more = type { %bits, [2 x i16] }

define spir_kernel void @k(ptr addrspace(1) %s, i64 %i, ptr byval(%bits) align 8 %by_value,
                          ptr addrspace(1) %t) {
  %second = getelementptr inbounds %bits, ptr addrspace(1) %s, i64 1, i32 1
  store i128 1, ptr addrspace(1) %second, align 1
  %scaled = getelementptr inbounds %bits, ptr addrspace(1) %s, i64 %i
  store i64 1, ptr addrspace(1) %scaled
  %whole = load %more, ptr addrspace(1) %t, align 8
  store volatile %more %whole, ptr addrspace(1) %s, align 1
  ret void
}
