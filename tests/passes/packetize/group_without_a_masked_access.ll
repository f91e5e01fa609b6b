; RUN: env LOCKSTEP_CPU=haswell lockstep-opt -passes=packetize %s | FileCheck %s
; Bytes, which AVX2 cannot access under a mask. expand-masked-accesses expands the masked load of two neighbors and the masked
; store. Without a mask, two overlapping vectors have every second byte, and nothing beyond the last one is loaded.

; CHECK-LABEL: @kernel
; CHECK: [[BOTH:%.*]] = call <8 x i8> @llvm.masked.load.v8i8.p1(ptr addrspace(1) align 1 %pair
; CHECK: shufflevector <8 x i8> [[BOTH]], <8 x i8> poison, <4 x i32> <i32 0, i32 2, i32 4, i32 6>
; CHECK: shufflevector <8 x i8> [[BOTH]], <8 x i8> poison, <4 x i32> <i32 1, i32 3, i32 5, i32 7>
; CHECK: call void @llvm.masked.store.v4i8.p1
define void @kernel(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) "lockstep-sub-group-size"="4" {
  %lane = call i64 @__lockstep_lane()
  %pair = getelementptr [2 x i8], ptr addrspace(1) %p, i64 %lane
  %second = getelementptr i8, ptr addrspace(1) %pair, i64 1
  %to = getelementptr i8, ptr addrspace(1) %q, i64 %lane
  %narrow = trunc i64 %lane to i32
  %c = icmp ult i32 %narrow, %n
  br label %block
block:
  call void @__lockstep_mask(i1 %c)
  %a = load i8, ptr addrspace(1) %pair
  %b = load i8, ptr addrspace(1) %second
  %sum = add i8 %a, %b
  store i8 %sum, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: @second_bytes
; CHECK: [[LOW:%.*]] = load <4 x i8>, ptr addrspace(1) [[AT:%.*]], align 1
; CHECK: [[NEXT:%.*]] = getelementptr i8, ptr addrspace(1) {{.*}}, i64 3
; CHECK: [[HIGH:%.*]] = load <4 x i8>, ptr addrspace(1) [[NEXT]], align 1
; CHECK: [[ALL:%.*]] = shufflevector <4 x i8> [[LOW]], <4 x i8> [[HIGH]], <8 x i32>
; CHECK: shufflevector <8 x i8> [[ALL]], <8 x i8> poison, <4 x i32> <i32 0, i32 2, i32 5, i32 7>
define void @second_bytes(ptr addrspace(1) %p, ptr addrspace(1) %q) "lockstep-sub-group-size"="4" {
  %lane = call i64 @__lockstep_lane()
  %pair = getelementptr [2 x i8], ptr addrspace(1) %p, i64 %lane
  %second = getelementptr i8, ptr addrspace(1) %pair, i64 1
  %to = getelementptr i8, ptr addrspace(1) %q, i64 %lane
  %b = load i8, ptr addrspace(1) %second
  store i8 %b, ptr addrspace(1) %to
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare void @__lockstep_mask(i1)
