; RUN: lockstep-opt -passes=packetize %s 2>&1 | FileCheck %s
; Lanes that multiply one element are multiplied with each other first; an inactive lane counts as 1.

; CHECK: lanes: one lane after the other: atomic product
; CHECK-LABEL: @kernel
; CHECK: [[PRODUCT:%.*]] = call i32 @llvm.vector.reduce.mul.v4i32(<4 x i32>
; CHECK: call void @__lockstep_atomic_multiply_i32(ptr addrspace(1) %p, i32 [[PRODUCT]], i32 2)
; CHECK: [[ACTIVE:%.*]] = select <4 x i1> {{.*}}, <4 x float> {{.*}}, <4 x float> splat (float 1.000000e+00)
; CHECK: [[FLOATS:%.*]] = call reassoc float @llvm.vector.reduce.fmul.v4f32(float 1.000000e+00, <4 x float> [[ACTIVE]])
; CHECK: call void @__lockstep_atomic_multiply_f32(ptr addrspace(1) %q, float [[FLOATS]], i32 2)
; CHECK: %this.lane = call i64 @llvm.cttz.i64
; CHECK: call void @__lockstep_atomic_multiply_i32(ptr addrspace(1) {{.*}}, i32 {{.*}}, i32 2)
define void @kernel(ptr addrspace(1) %p, ptr addrspace(1) %q, ptr addrspace(1) %r) "lockstep-sub-group-size"="4" {
  %lane = call i64 @__lockstep_lane()
  %narrow = trunc i64 %lane to i32
  call void @__lockstep_atomic_multiply_i32(ptr addrspace(1) %p, i32 %narrow, i32 2)
  %place = getelementptr float, ptr addrspace(1) %r, i64 %lane
  %value = load float, ptr addrspace(1) %place
  %odd = fcmp oeq float %value, 7.0
  br label %some
some:
  call void @__lockstep_mask(i1 %odd)
  call void @__lockstep_atomic_multiply_f32(ptr addrspace(1) %q, float %value, i32 2)
  %bits = bitcast float %value to i32
  %element = getelementptr i32, ptr addrspace(1) %p, i32 %bits
  call void @__lockstep_atomic_multiply_i32(ptr addrspace(1) %element, i32 3, i32 2)
  br label %end
end:
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare void @__lockstep_mask(i1)
declare void @__lockstep_atomic_multiply_i32(ptr addrspace(1), i32, i32)
declare void @__lockstep_atomic_multiply_f32(ptr addrspace(1), float, i32)
