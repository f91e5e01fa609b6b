; RUN: env LOCKSTEP_FORM=auto lockstep-opt -passes=mark-waits %s 2>/dev/null | FileCheck %s

; A plain flag that is polled is volatile from here on: a work-item of the same group may set it between two looks, so the
; group cannot take the first look of one of them for that of all. Optimization has put that look before the loop.
; The checker still treats it as plain.
; CHECK-LABEL: @first_look
; CHECK: %early = load volatile i32, {{.*}}!lockstep.check.plain
; CHECK: %bound = load i32
; CHECK: loop:
; CHECK: %late = load volatile i32, {{.*}}!lockstep.check.plain
; CHECK: call void @__lockstep_wait
; CHECK: end:
; CHECK: %data = load i32
define void @first_look(ptr addrspace(1) %flag, ptr addrspace(1) %bounds) {
entry:
  %early = load i32, ptr addrspace(1) %flag
  %bound = load i32, ptr addrspace(1) %bounds
  %is.set = icmp ne i32 %early, 0
  %is.past = icmp ugt i32 %bound, 7
  %goes = or i1 %is.set, %is.past
  br i1 %goes, label %end, label %loop
loop:
  fence acq_rel
  %late = load i32, ptr addrspace(1) %flag
  %is.set.late = icmp ne i32 %late, 0
  br i1 %is.set.late, label %end, label %loop
end:
  %place = getelementptr i32, ptr addrspace(1) %flag, i64 1
  %data = load i32, ptr addrspace(1) %place
  call void @use(i32 %data)
  ret void
}

; Another place of the same memory in each round.
; CHECK-LABEL: @places
; CHECK: %early = load volatile i32, {{.*}}!lockstep.check.plain
; CHECK: %late = load volatile i32, {{.*}}!lockstep.check.plain
define void @places(ptr addrspace(1) %flags) {
entry:
  %early = load i32, ptr addrspace(1) %flags
  %is.set = icmp ne i32 %early, 0
  br i1 %is.set, label %end, label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %next = add i64 %i, 1
  %at = and i64 %next, 3
  %place = getelementptr i32, ptr addrspace(1) %flags, i64 %at
  fence acq_rel
  %late = load i32, ptr addrspace(1) %place
  %is.set.late = icmp ne i32 %late, 0
  br i1 %is.set.late, label %end, label %loop
end:
  ret void
}

declare void @use(i32) nounwind willreturn memory(none)
