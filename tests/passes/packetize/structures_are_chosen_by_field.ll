; RUN: lockstep-opt -passes='packetize' %s | FileCheck %s
; A product and whether it overflows are one value of two fields; a vector chooses among vectors.

; CHECK-LABEL: @kernel
; CHECK: %[[PRODUCT:.*]] = call { <16 x i32>, <16 x i1> } @llvm.umul.with.overflow.v16i32
; CHECK: %[[SUM:.*]] = call { <16 x i32>, <16 x i1> } @llvm.uadd.with.overflow.v16i32
; CHECK: %[[P0:.*]] = extractvalue { <16 x i32>, <16 x i1> } %[[PRODUCT]], 0
; CHECK: %[[S0:.*]] = extractvalue { <16 x i32>, <16 x i1> } %[[SUM]], 0
; CHECK: select <16 x i1> %{{.*}}, <16 x i32> %[[P0]], <16 x i32> %[[S0]]
; CHECK: select <16 x i1> %{{.*}}, <16 x i1> %{{.*}}, <16 x i1> %{{.*}}
; CHECK: store <16 x i32>
define void @kernel(ptr addrspace(1) %from, ptr addrspace(1) %to) "lockstep-sub-group-size"="16" {
  %lane = call i64 @__lockstep_lane()
  %from.at = getelementptr i32, ptr addrspace(1) %from, i64 %lane
  %x = load i32, ptr addrspace(1) %from.at
  %product = call { i32, i1 } @llvm.umul.with.overflow.i32(i32 %x, i32 3)
  %sum = call { i32, i1 } @llvm.uadd.with.overflow.i32(i32 %x, i32 3)
  %few = icmp ult i32 %x, 100
  %chosen = select i1 %few, { i32, i1 } %product, { i32, i1 } %sum
  %number = extractvalue { i32, i1 } %chosen, 0
  %overflow = extractvalue { i32, i1 } %chosen, 1
  %bit = zext i1 %overflow to i32
  %result = add i32 %number, %bit
  %to.at = getelementptr i32, ptr addrspace(1) %to, i64 %lane
  store i32 %result, ptr addrspace(1) %to.at
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
