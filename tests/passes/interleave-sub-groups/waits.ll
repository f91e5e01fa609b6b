; RUN: lockstep-opt -passes='interleave-sub-groups' %s | FileCheck %s
; A group that is suspended as a whole: where all of it wait, its sub-groups wait one after the other, and what follows
; runs at once. Each looks for itself.

; CHECK-LABEL: @all_wait
; CHECK: call void @__lockstep_wait(i32 0, i1 false)
; CHECK: loop:
; CHECK-COUNT-2: fadd <16 x float>
; CHECK: call void @__lockstep_wait(i32 0, i1 false)
; CHECK-NOT: call void @__lockstep_wait
; CHECK: "lockstep-interleave"="1,2"
define void @all_wait(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %flag) #0 {
entry:
  %row = call i64 @__lockstep_local_id(i32 1)
  %mine = getelementptr [16 x float], ptr addrspace(1) %b, i64 %row
  br label %look
look:
  %value = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %seen = zext i32 %value to i64
  %at = addrspacecast ptr addrspace(1) %flag to ptr addrspace(4)
  call void @__lockstep_seen(ptr addrspace(4) %at, i64 %seen, i32 4)
  %set = icmp ne i32 %value, 0
  br i1 %set, label %work, label %wait
wait:
  call void @__lockstep_wait(i32 0, i1 false)
  br label %look
work:
  br label %loop
loop:
  %sum = phi <16 x float> [ zeroinitializer, %work ], [ %sum.next, %loop ]
  %k = phi i64 [ 0, %work ], [ %k.next, %loop ]
  %from = getelementptr [16 x float], ptr addrspace(1) %a, i64 %k
  %vector = load <16 x float>, ptr addrspace(1) %from
  %own = load <16 x float>, ptr addrspace(1) %mine
  %product = fmul <16 x float> %own, %vector
  %sum.next = fadd <16 x float> %sum, %product
  %k.next = add i64 %k, 1
  %more = icmp ne i64 %k.next, 64
  br i1 %more, label %loop, label %end
end:
  store <16 x float> %sum.next, ptr addrspace(1) %mine
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare void @__lockstep_seen(ptr addrspace(4), i64, i32) convergent nounwind
declare void @__lockstep_wait(i32, i1) convergent nounwind

attributes #0 = { "lockstep-local-size"="16,2,1" "lockstep-sub-group-size"="16" "target-cpu"="znver5" "lockstep-form"="resumable-group" "lockstep-waits-together" }
