; RUN: lockstep-opt -passes=lower-printf %s | FileCheck %s
; `%d` with a 64-bit argument, undefined but common: the argument is cut, so that the next is found. A float vector for a
; conversion without length is widened. Arguments beyond the format are dropped. Where the format is not known, arguments
; keep their own size.

; CHECK-LABEL: define {{.*}}i32 @sizes(
; CHECK: %[[CUT:.*]] = trunc i64 %l to i32
; CHECK: %[[WIDE:.*]] = sext i32 %i to i64
; CHECK: %[[DOUBLES:.*]] = fpext <2 x float> %v to <2 x double>
; CHECK: store i32 %[[CUT]]
; CHECK: store i64 %[[WIDE]]
; CHECK: store <2 x double> %[[DOUBLES]]
; CHECK: %[[R:.*]] = call i32 @__lockstep_printf(ptr addrspace(2) @format, ptr %{{.*}}, i32 32)
; CHECK: ret i32 %[[R]]

; CHECK-LABEL: define {{.*}}void @nothing(
; CHECK-NOT: alloca
; CHECK: call i32 @__lockstep_printf(ptr addrspace(2) @plain, ptr null, i32 0)

; CHECK-LABEL: define {{.*}}void @unknown(
; CHECK: store i64 %l
; CHECK: store i8 %c
; CHECK: call i32 @__lockstep_printf(ptr addrspace(2) %format, ptr %{{.*}}, i32 9)
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
@format = private addrspace(2) constant [13 x i8] c"%d %ld %v2f\0A\00"
@plain = private addrspace(2) constant [3 x i8] c"hi\00"

define spir_func i32 @sizes(i64 %l, i32 %i, <2 x float> %v) {
  %r = call spir_func i32 (ptr addrspace(2), ...) @printf(ptr addrspace(2) @format, i64 %l, i32 %i, <2 x float> %v)
  ret i32 %r
}

define spir_func void @nothing(i64 %l) {
  %r = call spir_func i32 (ptr addrspace(2), ...) @printf(ptr addrspace(2) @plain, i64 %l)
  ret void
}

define spir_func void @unknown(ptr addrspace(2) %format, i64 %l, i8 %c) {
  %r = call spir_func i32 (ptr addrspace(2), ...) @printf(ptr addrspace(2) %format, i64 %l, i8 %c)
  ret void
}

declare spir_func i32 @printf(ptr addrspace(2), ...)
