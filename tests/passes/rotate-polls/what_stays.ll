; RUN: lockstep-opt -passes=rotate-polls %s | FileCheck %s --implicit-check-not=.first

; The read is in front of the test.
; CHECK-LABEL: @reads_first
define void @reads_first(ptr addrspace(1) %p) convergent {
entry:
  br label %test
test:
  %value = load atomic i32, ptr addrspace(1) %p acquire, align 4
  call void @__lockstep_barrier(i32 1)
  %waits = icmp eq i32 %value, 0
  br i1 %waits, label %next, label %end
next:
  br label %test
end:
  ret void
}

; No work-item waits for another one.
; CHECK-LABEL: @reads_nothing
define void @reads_nothing(i32 %n) convergent {
entry:
  br label %test
test:
  %i = phi i32 [ 0, %entry ], [ %plus, %next ]
  call void @__lockstep_barrier(i32 1)
  %goes.on = icmp ult i32 %i, %n
  br i1 %goes.on, label %next, label %end
next:
  %plus = add i32 %i, 1
  br label %test
end:
  ret void
}

; Work-items wait one by one.
; CHECK-LABEL: @no_barrier
define void @no_barrier(ptr addrspace(1) %p) convergent {
entry:
  br label %test
test:
  %ready = phi i32 [ 0, %entry ], [ %value, %read ]
  %waits = icmp eq i32 %ready, 0
  br i1 %waits, label %read, label %end
read:
  %value = load atomic i32, ptr addrspace(1) %p acquire, align 4
  br label %test
end:
  ret void
}

; Another group operation, and another exit.
; CHECK-LABEL: @two_barriers
define void @two_barriers(ptr addrspace(1) %p) convergent {
entry:
  br label %test
test:
  %ready = phi i32 [ 0, %entry ], [ %value, %read ]
  call void @__lockstep_barrier(i32 1)
  %waits = icmp eq i32 %ready, 0
  br i1 %waits, label %read, label %end
read:
  call void @__lockstep_barrier(i32 1)
  %value = load atomic i32, ptr addrspace(1) %p acquire, align 4
  br label %test
end:
  ret void
}

; CHECK-LABEL: @two_exits
define void @two_exits(ptr addrspace(1) %p) convergent {
entry:
  br label %test
test:
  %ready = phi i32 [ 0, %entry ], [ %value, %read ]
  call void @__lockstep_barrier(i32 1)
  %waits = icmp eq i32 %ready, 0
  br i1 %waits, label %read, label %end
read:
  %value = load atomic i32, ptr addrspace(1) %p acquire, align 4
  %gives.up = icmp eq i32 %value, 9
  br i1 %gives.up, label %end, label %test
end:
  ret void
}

declare void @__lockstep_barrier(i32) convergent nounwind
