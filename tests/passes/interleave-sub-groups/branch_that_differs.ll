; RUN: lockstep-opt -passes='interleave-sub-groups' %s | FileCheck %s
; Rows that may go different ways are not run at once; nor are atomic operations shared (the other kernel).

; CHECK-LABEL: @differs
; CHECK-NOT: add nuw nsw i64 %row, 1
; CHECK: ret void
define void @differs(ptr addrspace(1) %a, ptr addrspace(1) %b) #0 {
entry:
  %row = call i64 @__lockstep_local_id(i32 1)
  br label %loop
loop:
  %sum = phi <16 x float> [ zeroinitializer, %entry ], [ %sum.next, %loop ]
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %at = getelementptr [16 x float], ptr addrspace(1) %a, i64 %k
  %value = load <16 x float>, ptr addrspace(1) %at
  %sum.next = fadd <16 x float> %sum, %value
  %k.next = add i64 %k, 1
  %more = icmp ne i64 %k.next, %row
  br i1 %more, label %loop, label %end
end:
  store <16 x float> %sum.next, ptr addrspace(1) %b
  ret void
}

; CHECK-LABEL: @counts
; CHECK-COUNT-2: atomicrmw add
; CHECK-NOT: atomicrmw
; CHECK: ret void
define void @counts(ptr addrspace(1) %a, ptr addrspace(1) %b) #1 {
entry:
  %row = call i64 @__lockstep_local_id(i32 1)
  %mine = getelementptr [16 x float], ptr addrspace(1) %b, i64 %row
  br label %loop
loop:
  %sum = phi <16 x float> [ zeroinitializer, %entry ], [ %sum.next, %loop ]
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %at = getelementptr [16 x float], ptr addrspace(1) %a, i64 %k
  %value = load <16 x float>, ptr addrspace(1) %at
  %own = load <16 x float>, ptr addrspace(1) %mine
  %product = fmul <16 x float> %own, %value
  %sum.next = fadd <16 x float> %sum, %product
  %k.next = add i64 %k, 1
  %more = icmp ne i64 %k.next, 64
  br i1 %more, label %loop, label %end
end:
  atomicrmw add ptr addrspace(1) %a, i32 1 monotonic
  store <16 x float> %sum.next, ptr addrspace(1) %mine
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)

attributes #0 = { "lockstep-local-size"="16,4,1" "lockstep-sub-group-size"="16" "target-cpu"="znver5" }
attributes #1 = { "lockstep-local-size"="16,2,1" "lockstep-sub-group-size"="16" "target-cpu"="znver5" }
