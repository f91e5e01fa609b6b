; RUN: lockstep-opt -passes=interleave-sub-groups %s 2>&1 | FileCheck %s
; Lanes that are a row of memory apart, sub-groups that are an element apart: four sub-groups of four lanes have a tile of
; 4 x 4, of which each lane's row is loaded or stored at once. Two shuffles of two for each doubling turn it.

; CHECK-DAG: sub-groups: 4 that follow each other in dimension 1 run at once
; CHECK-DAG: sub-groups: tiles of 4 by 4 elements are transposed in registers: no gather, no scatter

; CHECK-LABEL: @stores_columns
; CHECK-SAME: #[[JAMMED:[0-9]+]]
; CHECK-COUNT-4: load <4 x float>
; CHECK-NOT: scatter
; CHECK: %[[A:.*]] = shufflevector <4 x float> %{{.*}}, <4 x float> %{{.*}}, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
; CHECK: shufflevector {{.*}} <i32 2, i32 6, i32 3, i32 7>
; CHECK-COUNT-6: shufflevector
; CHECK-NOT: shufflevector
; CHECK: %[[P:.*]] = extractelement <4 x ptr addrspace(1)> %place{{.*}}, i64 0
; CHECK: store <4 x float> %{{.*}}, ptr addrspace(1) %[[P]], align 4
; CHECK-COUNT-3: store <4 x float>
; CHECK-NOT: store
; CHECK: ret void
define void @stores_columns(i64 %n, ptr addrspace(1) %from, ptr addrspace(1) %to) #0 {
  %y = call i64 @__lockstep_local_id(i32 1)
  %row = mul i64 %y, %n
  %at = getelementptr float, ptr addrspace(1) %from, i64 %row
  %value = load <4 x float>, ptr addrspace(1) %at, align 4
  %one = insertelement <4 x i64> poison, i64 %n, i64 0
  %all = shufflevector <4 x i64> %one, <4 x i64> poison, <4 x i32> zeroinitializer
  %columns = mul <4 x i64> %all, <i64 0, i64 1, i64 2, i64 3>
  %rows = getelementptr float, ptr addrspace(1) %to, <4 x i64> %columns
  %place = getelementptr float, <4 x ptr addrspace(1)> %rows, i64 %y
  call void @llvm.masked.scatter.v4f32.v4p1(<4 x float> %value, <4 x ptr addrspace(1)> align 4 %place, <4 x i1> splat (i1 true))
  ret void
}

; The index of the place may as well be a vector: what is the same in all lanes is added to it.
; CHECK-LABEL: @loads_columns
; CHECK-NOT: gather
; CHECK: %[[P:.*]] = extractelement <4 x ptr addrspace(1)> %place{{.*}}, i64 0
; CHECK: load <4 x i32>, ptr addrspace(1) %[[P]], align 4
; CHECK-COUNT-3: load <4 x i32>
; CHECK: shufflevector {{.*}} <i32 0, i32 2, i32 4, i32 6>
; CHECK: shufflevector {{.*}} <i32 1, i32 3, i32 5, i32 7>
; CHECK-COUNT-6: shufflevector
; CHECK-COUNT-4: store <4 x i32>
; CHECK: ret void
define void @loads_columns(<4 x i64> %columns, ptr addrspace(1) %from, ptr addrspace(1) %to) #0 {
  %y = call i64 @__lockstep_local_id(i32 1)
  %one = insertelement <4 x i64> poison, i64 %y, i64 0
  %all = shufflevector <4 x i64> %one, <4 x i64> poison, <4 x i32> zeroinitializer
  %index = add <4 x i64> %columns, %all
  %place = getelementptr i32, ptr addrspace(1) %from, <4 x i64> %index
  %value = call <4 x i32> @llvm.masked.gather.v4i32.v4p1(<4 x ptr addrspace(1)> align 4 %place, <4 x i1> splat (i1 true), <4 x i32> poison)
  %row = shl i64 %y, 4
  %at = getelementptr i32, ptr addrspace(1) %to, i64 %row
  store <4 x i32> %value, ptr addrspace(1) %at, align 4
  ret void
}

; Two elements further, not all lanes, an index of 16 bits that may wrap: they stay as they are.
; CHECK-LABEL: @others
; CHECK-COUNT-3: call void @llvm.masked.scatter
; CHECK-NOT: scatter
; CHECK: ret void
define void @others(<4 x i64> %columns, <4 x i1> %some, <4 x i32> %value, i16 %n, ptr addrspace(1) %to) #0 {
  %y = call i64 @__lockstep_local_id(i32 1)
  %rows = getelementptr i32, ptr addrspace(1) %to, <4 x i64> %columns
  %twice = shl i64 %y, 1
  %a = getelementptr i32, <4 x ptr addrspace(1)> %rows, i64 %twice
  call void @llvm.masked.scatter.v4i32.v4p1(<4 x i32> %value, <4 x ptr addrspace(1)> align 4 %a, <4 x i1> splat (i1 true))
  %b = getelementptr i32, <4 x ptr addrspace(1)> %rows, i64 %y
  call void @llvm.masked.scatter.v4i32.v4p1(<4 x i32> %value, <4 x ptr addrspace(1)> align 4 %b, <4 x i1> %some)
  %narrow = trunc i64 %y to i16
  %sum = add i16 %narrow, %n
  %wide = zext i16 %sum to i64
  %c = getelementptr i32, <4 x ptr addrspace(1)> %rows, i64 %wide
  call void @llvm.masked.scatter.v4i32.v4p1(<4 x i32> %value, <4 x ptr addrspace(1)> align 4 %c, <4 x i1> splat (i1 true))
  ret void
}

; CHECK: attributes #[[JAMMED]] = { {{.*}}"lockstep-interleave"="1,4"
declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)

attributes #0 = { "lockstep-sub-group-size"="4" "lockstep-local-size"="4,4,1" }
