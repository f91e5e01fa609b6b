; RUN: lockstep-opt -passes='interleave-sub-groups' %s | FileCheck %s
; RUN: sed 's/16,4,1/16,5,1/' %s | lockstep-opt -passes='interleave-sub-groups' | FileCheck --check-prefix=FIVE %s
; The column piece that all rows load is loaded once; each row has a sum of its own.

; FIVE: loop:
; FIVE-COUNT-5: phi <16 x float>
; FIVE: load <16 x float>
; FIVE-NOT: load <16 x float>
; FIVE-COUNT-5: call <16 x float> @llvm.fmuladd
; FIVE: end:
; FIVE-COUNT-5: store <16 x float>
; FIVE: "lockstep-interleave"="1,5"

; CHECK-LABEL: @kernel
; CHECK: %row = call i64 @__lockstep_local_id(i32 1)
; CHECK-NEXT: add nuw nsw i64 %row, 1
; CHECK: loop:
; CHECK-COUNT-4: phi <16 x float>
; CHECK: load <16 x float>
; CHECK-NOT: load <16 x float>
; CHECK-COUNT-4: call <16 x float> @llvm.fmuladd
; CHECK: end:
; CHECK-COUNT-4: store <16 x float>
; CHECK: "lockstep-interleave"="1,4"
define void @kernel(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c) #0 {
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

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)

attributes #0 = { "lockstep-local-size"="16,4,1" "lockstep-sub-group-size"="16" "target-cpu"="znver5" }
