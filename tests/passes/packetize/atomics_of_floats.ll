; RUN: lockstep-opt -passes=packetize %s 2>&1 | FileCheck %s
; The lanes' values become one, in any order; lanes that are not active add -0, and a NaN to a minimum. That a pointer is
; to something volatile, as all of the device library's are, changes nothing.

; CHECK: lanes: atomic sum: the lanes' values are added to each other first
; CHECK-LABEL: @kernel
; CHECK: [[SUM:%.*]] = call reassoc float @llvm.vector.reduce.fadd.v4f32(float -0.000000e+00, <4 x float> %{{.*}})
; CHECK: atomicrmw volatile fadd ptr addrspace(1) %p, float [[SUM]] monotonic
; CHECK: [[SOME:%.*]] = select <4 x i1> %{{.*}}, <4 x float> %{{.*}}, <4 x float> splat (float {{.*7FF8.*}})
; CHECK: [[LEAST:%.*]] = call float @llvm.vector.reduce.fmin.v4f32(<4 x float> [[SOME]])
; CHECK: atomicrmw volatile fmin ptr addrspace(1) %q, float [[LEAST]] monotonic
; CHECK: [[SOME:%.*]] = select <4 x i1> %{{.*}}, <4 x float> %{{.*}}, <4 x float> splat (float -0.000000e+00)
; CHECK: [[SUM:%.*]] = call reassoc float @llvm.vector.reduce.fadd.v4f32(float -0.000000e+00, <4 x float> [[SOME]])
; CHECK: atomicrmw volatile fsub ptr addrspace(1) %p, float [[SUM]] monotonic
define void @kernel(ptr addrspace(1) %p, ptr addrspace(1) %q, ptr addrspace(1) %r) "lockstep-sub-group-size"="4" {
  %lane = call i64 @__lockstep_lane()
  %place = getelementptr float, ptr addrspace(1) %r, i64 %lane
  %value = load float, ptr addrspace(1) %place
  %a = atomicrmw volatile fadd ptr addrspace(1) %p, float %value monotonic
  %odd = fcmp ogt float %value, 7.0
  br label %some
some:
  call void @__lockstep_mask(i1 %odd)
  %b = atomicrmw volatile fmin ptr addrspace(1) %q, float %value monotonic
  %c = atomicrmw volatile fsub ptr addrspace(1) %p, float %value monotonic
  br label %end
end:
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare void @__lockstep_mask(i1)
