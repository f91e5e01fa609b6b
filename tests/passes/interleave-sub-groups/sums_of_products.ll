; RUN: lockstep-opt -passes='interleave-sub-groups' %s | FileCheck %s
; Sums of products alone: the registers hold 16 rows. A vector that the loop computes beside them needs registers, too: 8 rows.
; A splat of a row's factor is an operand, and needs none.

; CHECK: @sums{{.*}} #[[SIXTEEN:[0-9]+]]
; CHECK: loop:
; CHECK-COUNT-16: phi <16 x float>
; CHECK: load <16 x float>
; CHECK-NOT: load <16 x float>
; CHECK-COUNT-16: call <16 x float> @llvm.fmuladd
; CHECK: end:
define void @sums(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c) #0 {
entry:
  %row = call i64 @__lockstep_local_id(i32 1)
  %a.row = getelementptr [64 x float], ptr addrspace(1) %a, i64 %row
  br label %loop
loop:
  %sum = phi <16 x float> [ zeroinitializer, %entry ], [ %sum.next, %loop ]
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %a.at = getelementptr float, ptr addrspace(1) %a.row, i64 %k
  %a.value = load float, ptr addrspace(1) %a.at
  %first = insertelement <16 x float> poison, float %a.value, i64 0
  %all = shufflevector <16 x float> %first, <16 x float> poison, <16 x i32> zeroinitializer
  %b.at = getelementptr [16 x float], ptr addrspace(1) %b, i64 %k
  %b.value = load <16 x float>, ptr addrspace(1) %b.at
  %sum.next = call <16 x float> @llvm.fmuladd.v16f32(<16 x float> %all, <16 x float> %b.value, <16 x float> %sum)
  %k.next = add i64 %k, 1
  %more = icmp ne i64 %k.next, 64
  br i1 %more, label %loop, label %end
end:
  %c.at = getelementptr [16 x float], ptr addrspace(1) %c, i64 %row
  store <16 x float> %sum.next, ptr addrspace(1) %c.at
  ret void
}


; CHECK: @roots{{.*}} #[[EIGHT:[0-9]+]]
define void @roots(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c) #1 {
entry:
  %row = call i64 @__lockstep_local_id(i32 1)
  %a.row = getelementptr [64 x float], ptr addrspace(1) %a, i64 %row
  br label %loop
loop:
  %sum = phi <16 x float> [ zeroinitializer, %entry ], [ %sum.next, %loop ]
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %a.at = getelementptr float, ptr addrspace(1) %a.row, i64 %k
  %a.value = load float, ptr addrspace(1) %a.at
  %first = insertelement <16 x float> poison, float %a.value, i64 0
  %all = shufflevector <16 x float> %first, <16 x float> poison, <16 x i32> zeroinitializer
  %b.at = getelementptr [16 x float], ptr addrspace(1) %b, i64 %k
  %b.value = load <16 x float>, ptr addrspace(1) %b.at
  %root = call <16 x float> @llvm.sqrt.v16f32(<16 x float> %all)
  %sum.next = call <16 x float> @llvm.fmuladd.v16f32(<16 x float> %root, <16 x float> %b.value, <16 x float> %sum)
  %k.next = add i64 %k, 1
  %more = icmp ne i64 %k.next, 64
  br i1 %more, label %loop, label %end
end:
  %c.at = getelementptr [16 x float], ptr addrspace(1) %c, i64 %row
  store <16 x float> %sum.next, ptr addrspace(1) %c.at
  ret void
}


; CHECK: attributes #[[SIXTEEN]] = {{.*}}"lockstep-interleave"="1,16"
; CHECK: attributes #[[EIGHT]] = {{.*}}"lockstep-interleave"="1,8"
declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)

attributes #0 = { "lockstep-local-size"="16,16,1" "lockstep-sub-group-size"="16" "target-cpu"="znver5" }
attributes #1 = { "lockstep-local-size"="16,16,1" "lockstep-sub-group-size"="16" "target-cpu"="znver5" "other" }
