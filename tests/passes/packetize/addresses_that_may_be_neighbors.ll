; RUN: lockstep-opt -passes='packetize' %s | FileCheck %s
; Numbers that only memory knows may follow each other: then one vector load will do. The lanes compared are the active
; ones, and what the others hold is frozen before a branch depends on it.

; CHECK-LABEL: @loads
; CHECK: %[[N:.*]] = freeze <16 x i64>
; CHECK: %[[PLACES:.*]] = sub <16 x i64> %[[N]], %
; CHECK: %[[APART:.*]] = icmp ne <16 x i64> %[[PLACES]], <i64 0, i64 1, i64 2,
; CHECK: and <16 x i1> %[[APART]], <
; CHECK: br i1 %neighbors, label %neighbors{{.*}}, label %anywhere
; CHECK: neighbors{{.*}}:
; CHECK: call <16 x float> @llvm.masked.load
; CHECK: anywhere:
; CHECK: call <16 x float> @llvm.masked.gather
; CHECK: phi <16 x float>
define void @loads(ptr addrspace(1) %p, ptr addrspace(1) %indices, ptr addrspace(1) %to) #0 {
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

; CHECK-LABEL: @stores
; CHECK: br i1 %neighbors
; CHECK: store <16 x i32>
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

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare void @__lockstep_mask(i1) convergent nounwind willreturn memory(inaccessiblemem: readwrite)

attributes #0 = { "lockstep-sub-group-size"="16" "target-cpu"="znver5" }
