; RUN: env LOCKSTEP_FORM=auto lockstep-opt -passes=mark-waits %s 2>/dev/null | FileCheck %s

; More stores than are compared in each round: they are while somebody looks for a deadlock, and a round
; that was not watched from its beginning changed something. One question is enough where nothing else is accessed in between.
; CHECK-LABEL: @writes_much
; CHECK: loop:
; CHECK: %[[WATCHED:watched.*]] = phi i1
; CHECK: br i1 %[[WATCHED]], label %{{.*}}, label %{{.*}}, !prof
; CHECK-COUNT-5: icmp ne i32
; CHECK-NOT: br i1
; CHECK: store i32 1
; CHECK: %[[UNSEEN:.*]] = xor i1 %[[WATCHED]], true
; CHECK-NEXT: %[[MAYBE:.*]] = or i1 %{{.*}}, %[[UNSEEN]]
; CHECK-NEXT: %[[SUMMED:.*]] = icmp ne i64 0, 0
; CHECK-NEXT: %[[CHANGED:.*]] = or i1 %[[MAYBE]], %[[SUMMED]]
; CHECK-NEXT: call void @__lockstep_wait(i32 0, i1 %[[CHANGED]])
; CHECK-NEXT: call i1 @__lockstep_watched()
define void @writes_much(ptr addrspace(1) noalias %flag, ptr addrspace(1) noalias %out) {
entry:
  %out1 = getelementptr i32, ptr addrspace(1) %out, i64 1
  %out2 = getelementptr i32, ptr addrspace(1) %out, i64 2
  %out3 = getelementptr i32, ptr addrspace(1) %out, i64 3
  %out4 = getelementptr i32, ptr addrspace(1) %out, i64 4
  br label %loop
loop:
  store i32 1, ptr addrspace(1) %out, align 4
  store i32 2, ptr addrspace(1) %out1, align 4
  store i32 3, ptr addrspace(1) %out2, align 4
  store i32 4, ptr addrspace(1) %out3, align 4
  store i32 5, ptr addrspace(1) %out4, align 4
  %value = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp ne i32 %value, 0
  br i1 %set, label %end, label %loop
end:
  ret void
}
