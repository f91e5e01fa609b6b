; RUN: lockstep-opt -passes='interleave-sub-groups' %s | FileCheck %s
; Neighbors in a row would share the scalar, rows share the vector: that is more traffic.

; CHECK-LABEL: @kernel
; CHECK: loop:
; CHECK-COUNT-8: phi <16 x float>
; CHECK: load <16 x float>
; CHECK-NOT: load <16 x float>
; CHECK-COUNT-8: call <16 x float> @llvm.fmuladd
; CHECK: "lockstep-interleave"="1,8"
define void @kernel(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c) #0 {
entry:
  %row = call i64 @__lockstep_local_id(i32 1)
  %column = call i64 @__lockstep_local_id(i32 0)
  %a.row = getelementptr [64 x float], ptr addrspace(1) %a, i64 %row
  %b.column = getelementptr float, ptr addrspace(1) %b, i64 %column
  br label %loop
loop:
  %sum = phi <16 x float> [ zeroinitializer, %entry ], [ %sum.next, %loop ]
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %a.at = getelementptr float, ptr addrspace(1) %a.row, i64 %k
  %a.value = load float, ptr addrspace(1) %a.at
  %first = insertelement <16 x float> poison, float %a.value, i64 0
  %all = shufflevector <16 x float> %first, <16 x float> poison, <16 x i32> zeroinitializer
  %b.at = getelementptr [256 x float], ptr addrspace(1) %b.column, i64 %k
  %b.value = load <16 x float>, ptr addrspace(1) %b.at
  %sum.next = call <16 x float> @llvm.fmuladd.v16f32(<16 x float> %all, <16 x float> %b.value, <16 x float> %sum)
  %k.next = add i64 %k, 1
  %more = icmp ne i64 %k.next, 64
  br i1 %more, label %loop, label %end
end:
  %c.row = getelementptr [256 x float], ptr addrspace(1) %c, i64 %row
  %c.at = getelementptr float, ptr addrspace(1) %c.row, i64 %column
  store <16 x float> %sum.next, ptr addrspace(1) %c.at
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)

attributes #0 = { "lockstep-local-size"="256,8,1" "lockstep-sub-group-size"="16" "target-cpu"="znver5" }
