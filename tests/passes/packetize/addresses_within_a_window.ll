; RUN: lockstep-opt -passes='packetize' %s | FileCheck %s
; Numbers that ascend within 32 places: two vectors and a permutation of each instead of a gather, and for a scatter the
; other way round. In 32 bits, where indices were widened from there and do not wrap in the window.

; CHECK-LABEL: @loads(
; CHECK: %[[N:.*]] = freeze <16 x i32>
; CHECK: %first.number = extractelement <16 x i32> %[[N]], i64 0
; CHECK: %[[PLACES:.*]] = sub <16 x i32> %[[N]], %
; CHECK: icmp ule i32 %first.number, -33
; CHECK: icmp uge <16 x i32> %[[PLACES]], %
; CHECK-NOT: splat (i32 32)
; CHECK: br i1 %{{.*}}, label %in.window, label %gather
; CHECK: in.window:
; CHECK-COUNT-2: load <16 x float>
; CHECK-COUNT-2: call <16 x float> @lockstep.permute.f32x16
; CHECK: gather:
; CHECK: call <16 x float> @llvm.masked.gather
define void @loads(ptr addrspace(1) %p, ptr addrspace(1) %indices, ptr addrspace(1) %to) #0 {
entry:
  %lane = call i64 @__lockstep_lane()
  %index.at = getelementptr i32, ptr addrspace(1) %indices, i64 %lane
  %narrow = load i32, ptr addrspace(1) %index.at
  %index = zext i32 %narrow to i64
  %at = getelementptr float, ptr addrspace(1) %p, i64 %index
  %value = load float, ptr addrspace(1) %at
  %to.at = getelementptr float, ptr addrspace(1) %to, i64 %lane
  store float %value, ptr addrspace(1) %to.at
  ret void
}

; CHECK-LABEL: @stores(
; CHECK: in.window:
; CHECK: %[[BITS:.*]] = shl <16 x i32> splat (i32 1), %
; CHECK: call i32 @llvm.vector.reduce.or.v16i32(<16 x i32> %[[BITS]])
; CHECK-COUNT-2: call <16 x i32> @llvm.ctpop
; CHECK-COUNT-2: call void @llvm.masked.store
; CHECK: scatter:
; CHECK: call void @llvm.masked.scatter
define void @stores(ptr addrspace(1) %p, ptr addrspace(1) %indices) #0 {
entry:
  %lane = call i64 @__lockstep_lane()
  %number = trunc i64 %lane to i32
  %index.at = getelementptr i64, ptr addrspace(1) %indices, i64 %lane
  %index = load i64, ptr addrspace(1) %index.at
  %at = getelementptr i32, ptr addrspace(1) %p, i64 %index
  store i32 %number, ptr addrspace(1) %at
  ret void
}

; An inactive lane may stand outside of the buffer: no window is loaded under a mask.
; CHECK-LABEL: @masked_loads(
; CHECK-NOT: in.window
define void @masked_loads(ptr addrspace(1) %p, ptr addrspace(1) %indices, ptr addrspace(1) %to) #0 {
entry:
  %lane = call i64 @__lockstep_lane()
  %wanted = icmp ult i64 %lane, 13
  call void @__lockstep_mask(i1 %wanted)
  %index.at = getelementptr i64, ptr addrspace(1) %indices, i64 %lane
  %index = load i64, ptr addrspace(1) %index.at
  %at = getelementptr float, ptr addrspace(1) %p, i64 %index
  %value = load float, ptr addrspace(1) %at
  %to.at = getelementptr float, ptr addrspace(1) %to, i64 %lane
  store float %value, ptr addrspace(1) %to.at
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare void @__lockstep_mask(i1) convergent nounwind willreturn memory(inaccessiblemem: readwrite)

attributes #0 = { "lockstep-sub-group-size"="16" "target-cpu"="znver5" }
