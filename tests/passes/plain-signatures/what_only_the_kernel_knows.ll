; Vectors come and go element by element, a structure by value is copied by the callee, and what only the kernel knows
; (ids, local variables) is passed along, also through functions that do not look at it.
; RUN: lockstep-opt -passes=plain-signatures %s | FileCheck %s

@shared = internal addrspace(3) global [4 x i32] undef

; CHECK-LABEL: define spir_kernel void @kernel
; CHECK: %[[X:.*]] = extractelement <2 x float> %v, i64 0
; CHECK: %[[Y:.*]] = extractelement <2 x float> %v, i64 1
; CHECK: %[[ID:.*]] = call range(i64 0, 64) i64 @__lockstep_local_id(i32 1)
; CHECK: %[[RESULT:.*]] = call { float, float } @outer(ptr align 4 %s, float %[[X]], float %[[Y]], i64 range(i64 0, 64) %[[ID]], ptr addrspace(3) @shared)
; CHECK: extractvalue { float, float } %[[RESULT]], 1
define spir_kernel void @kernel(ptr addrspace(1) %out, <2 x float> %v) {
  %s = alloca [2 x i32]
  %r = call <2 x float> @outer(ptr byval([2 x i32]) align 4 %s, <2 x float> %v)
  store <2 x float> %r, ptr addrspace(1) %out
  ret void
}

; CHECK-LABEL: define internal { float, float } @outer(
; CHECK-SAME: ptr align 4 %s, float %v.0, float %v.1, i64 range(i64 0, 64) %local_id, ptr addrspace(3) %shared)
; CHECK: %s.copy = alloca [2 x i32], align 4
; CHECK: call void @llvm.memcpy{{.*}}(ptr {{.*}}%s.copy, ptr {{.*}}%s, i64 8
; CHECK: store i32 1, ptr %s.copy
; CHECK: call void @inner(i64 range(i64 0, 64) %local_id, ptr addrspace(3) %shared)
; CHECK: ret { float, float }
define internal <2 x float> @outer(ptr byval([2 x i32]) align 4 %s, <2 x float> %v) #0 {
  store i32 1, ptr %s
  call void @inner()
  %r = fadd <2 x float> %v, %v
  ret <2 x float> %r
}

; CHECK-LABEL: define internal void @inner(
; CHECK-NOT: @shared
; CHECK: store i64 %local_id
define internal void @inner() #0 {
  %id = call range(i64 0, 64) i64 @__lockstep_local_id(i32 1)
  store i64 %id, ptr addrspace(3) getelementptr inbounds ([4 x i32], ptr addrspace(3) @shared, i64 0, i64 2)
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
attributes #0 = { "lockstep-out-of-line" }
