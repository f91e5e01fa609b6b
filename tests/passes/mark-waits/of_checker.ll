; RUN: env LOCKSTEP_FORM=auto lockstep-opt -passes=mark-waits %s 2>/dev/null | FileCheck %s
; What lower-undefined puts into a loop that waits is no part of it: the loop waits for the flag alone, and no round changes
; anything.

; CHECK-LABEL: @waits
; CHECK: %[[CHANGED:.*]] = phi i1 [ true, %entry ], [ false, %{{.*}} ]
; CHECK: call void @__lockstep_seen(
; CHECK-NOT: call void @__lockstep_seen
; CHECK: call void @__lockstep_ends_with(i64 0,
; CHECK: call void @__lockstep_wait(i32 0, i1 %[[CHANGED]])
define void @waits(ptr addrspace(1) noalias %flag, ptr addrspace(1) %plane, ptr %site) {
entry:
  br label %loop
loop:
  %bits = load i32, ptr addrspace(1) %plane, align 4, !nosanitize !0
  %any = icmp ne i32 %bits, 0
  br i1 %any, label %tell, label %look
tell:
  call void @__lockstep_check_choice(i64 -1, i64 1, ptr %site, i64 0, i64 0) memory(read), !nosanitize !0
  br label %look
look:
  %value = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp ne i32 %value, 0
  br i1 %set, label %end, label %loop
end:
  ret void
}

declare void @__lockstep_check_choice(i64, i64, ptr, i64, i64)

!0 = !{}
