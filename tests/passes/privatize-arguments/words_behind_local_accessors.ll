; RUN: lockstep-opt -passes='privatize-arguments,function(sroa,instcombine)' -local-argument=8:0:64:4:4:16 %s | FileCheck %s
; The size behind the address is a constant, so the distance between rows is; what lies behind that is not.

; CHECK: @local.argument = internal addrspace(3) global [64 x i8]
; CHECK-LABEL: define spir_kernel void @kernel
; CHECK: %[[AT:.*]] = getelementptr inbounds nuw i8, ptr %function, i64 32
; CHECK: %[[INDEX:.*]] = load i64, ptr %[[AT]]
; CHECK: shl i64 %[[INDEX]], 4
; CHECK-NOT: load
; CHECK: store i32 4, ptr addrspace(4)
define spir_kernel void @kernel(ptr byval([40 x i8]) align 8 %function) {
  %at.data = getelementptr i8, ptr %function, i64 8
  %data = load ptr addrspace(4), ptr %at.data
  %at.rows = getelementptr i8, ptr %function, i64 16
  %rows = load i64, ptr %at.rows
  %at.columns = getelementptr i8, ptr %function, i64 24
  %columns = load i64, ptr %at.columns
  %at.index = getelementptr i8, ptr %function, i64 32
  %index = load i64, ptr %at.index
  %row = mul i64 %index, %columns
  %element = getelementptr i8, ptr addrspace(4) %data, i64 %row
  %value = trunc i64 %rows to i32
  store i32 %value, ptr addrspace(4) %element
  ret void
}
