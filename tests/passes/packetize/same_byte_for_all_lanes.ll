; RUN: lockstep-opt -passes=packetize %s | FileCheck %s
; One byte for all lanes, at any addresses: one masked store if all are in 32 bytes that begin at a multiple of 16.

; CHECK-LABEL: @marks(
; CHECK: %[[FIRST:.*]] = extractelement <16 x ptr addrspace(1)> %{{.*}}, i64 0
; CHECK: %[[NUMBER:.*]] = ptrtoint ptr addrspace(1) %[[FIRST]] to i64
; CHECK: %[[BEGIN:.*]] = and i64 %[[NUMBER]], -16
; CHECK: icmp uge <16 x i64> %{{.*}}, splat (i64 32)
; CHECK: br i1 %{{.*}}, label %in.line, label %lanes
; CHECK: in.line:
; CHECK: %[[BITS:.*]] = shl <16 x i32> splat (i32 1), %
; CHECK: %[[ALL:.*]] = call i32 @llvm.vector.reduce.or.v16i32(<16 x i32> %[[BITS]])
; CHECK: %[[WANTED:.*]] = bitcast i32 %[[ALL]] to <32 x i1>
; CHECK: %[[LINE:.*]] = inttoptr i64 %[[BEGIN]] to ptr addrspace(1)
; CHECK: call void @llvm.masked.store.v32i8.p1(<32 x i8> splat (i8 1), ptr addrspace(1) align 1 %[[LINE]], <32 x i1> %[[WANTED]])
; CHECK: lanes:
; CHECK-COUNT-16: store i8 1
; CHECK: ret void
define void @marks(ptr addrspace(1) %p, ptr addrspace(1) %indices) #0 {
entry:
  %lane = call i64 @__lockstep_lane()
  %index.at = getelementptr i64, ptr addrspace(1) %indices, i64 %lane
  %index = load i64, ptr addrspace(1) %index.at
  %at = getelementptr i8, ptr addrspace(1) %p, i64 %index
  store i8 1, ptr addrspace(1) %at
  ret void
}

; Only active lanes count and store, and the first of them is compared with.
; CHECK-LABEL: @masked_marks(
; CHECK: %first.lane
; CHECK: and <16 x i1> %{{.*}}, %
; CHECK: in.line:
; CHECK: select <16 x i1> %{{.*}}, <16 x i32> %{{.*}}, <16 x i32> zeroinitializer
; CHECK: call void @llvm.masked.store.v32i8.p1(
define void @masked_marks(ptr addrspace(1) %p, ptr addrspace(1) %indices, i64 %n) #0 {
entry:
  %lane = call i64 @__lockstep_lane()
  %index.at = getelementptr i64, ptr addrspace(1) %indices, i64 %lane
  %index = load i64, ptr addrspace(1) %index.at
  %c = icmp ult i64 %index, %n
  br label %block
block:
  call void @__lockstep_mask(i1 %c)
  %at = getelementptr i8, ptr addrspace(1) %p, i64 %index
  store i8 1, ptr addrspace(1) %at
  ret void
}

; Lanes that store different bytes may store to one address, where the last one counts.
; CHECK-LABEL: @bytes_of_lanes(
; CHECK-NOT: masked.store
; CHECK: ret void
define void @bytes_of_lanes(ptr addrspace(1) %p, ptr addrspace(1) %indices) #0 {
entry:
  %lane = call i64 @__lockstep_lane()
  %index.at = getelementptr i64, ptr addrspace(1) %indices, i64 %lane
  %index = load i64, ptr addrspace(1) %index.at
  %at = getelementptr i8, ptr addrspace(1) %p, i64 %index
  %byte = trunc i64 %index to i8
  store i8 %byte, ptr addrspace(1) %at
  ret void
}

; This processor has no masked store of bytes.
; CHECK-LABEL: @without_masks(
; CHECK-NOT: masked.store
; CHECK: ret void
define void @without_masks(ptr addrspace(1) %p, ptr addrspace(1) %indices) #1 {
entry:
  %lane = call i64 @__lockstep_lane()
  %index.at = getelementptr i64, ptr addrspace(1) %indices, i64 %lane
  %index = load i64, ptr addrspace(1) %index.at
  %at = getelementptr i8, ptr addrspace(1) %p, i64 %index
  store i8 1, ptr addrspace(1) %at
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare void @__lockstep_mask(i1) convergent nounwind willreturn memory(inaccessiblemem: readwrite)

attributes #0 = { "lockstep-sub-group-size"="16" "target-cpu"="sapphirerapids" }
attributes #1 = { "lockstep-sub-group-size"="16" "target-cpu"="haswell" }
