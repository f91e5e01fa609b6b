; RUN: env LOCKSTEP_FORM=auto lockstep-opt -passes=mark-waits %s 2>/dev/null | FileCheck %s

; The end of the loop does not depend on what is counted, but what it writes does, and others wait for
; that: a round that counts is no dead one.
@go = internal addrspace(3) global i32 undef

; CHECK-LABEL: @sets_another_flag_later
; CHECK: %[[NEXT:.*]] = add i32 %n, 1
; CHECK: %[[COUNTS:.*]] = icmp ne i32 %n, %[[NEXT]]
; CHECK-NEXT: %[[CHANGED:.*]] = or i1 %{{.*}}, %[[COUNTS]]
; CHECK-NEXT: call void @__lockstep_wait(i32 0, i1 %[[CHANGED]])
define void @sets_another_flag_later(ptr addrspace(1) %flag) {
entry:
  br label %loop
loop:
  %n = phi i32 [ 0, %entry ], [ %next, %back ]
  %value = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp ne i32 %value, 0
  br i1 %set, label %end, label %count
count:
  %next = add i32 %n, 1
  %enough = icmp eq i32 %next, 1000
  br i1 %enough, label %tell, label %back
tell:
  store atomic i32 1, ptr addrspace(3) @go release, align 4
  br label %back
back:
  br label %loop
end:
  ret void
}

; What nobody else sees may be written without end.
; CHECK-LABEL: @counts_for_itself
; CHECK: call void @__lockstep_wait(i32 1, i1 %changed
define void @counts_for_itself(ptr addrspace(1) %flag) {
entry:
  %own = alloca [2 x i32]
  br label %loop
loop:
  %n = phi i32 [ 0, %entry ], [ %next, %back ]
  %value = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp ne i32 %value, 0
  br i1 %set, label %end, label %count
count:
  %next = add i32 %n, 1
  %enough = icmp eq i32 %next, 1000
  br i1 %enough, label %tell, label %back
tell:
  store i32 1, ptr %own
  br label %back
back:
  br label %loop
end:
  ret void
}
