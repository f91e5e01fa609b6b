; RUN: env LOCKSTEP_FORM=auto lockstep-opt -passes=mark-waits %s 2>/dev/null | FileCheck %s

; take(l); while (!*ready) { give_back(l); take(l); } after the loop was turned round: suspended on
; the way back it would hold the lock for ever. To take and give back is no change.
; CHECK-LABEL: @monitor
; CHECK: again:
; CHECK: store atomic i32 0, ptr addrspace(1) %l release
; CHECK-NEXT: %[[NOW:.*]] = load atomic i32, ptr addrspace(1) %l monotonic
; CHECK-NEXT: %[[DIFFERS:.*]] = icmp ne i32 %at.begin{{.*}}, %[[NOW]]
; CHECK-NEXT: %[[CHANGED:.*]] = or i1 %changed{{.*}}, %[[DIFFERS]]
; CHECK-NEXT: call void @__lockstep_wait(i32 0, i1 %[[CHANGED]])
; CHECK-NEXT: %[[AT_BEGIN:.*]] = load atomic i32, ptr addrspace(1) %l monotonic
; CHECK-NEXT: br label %take
; CHECK: take:
; CHECK: call void @__lockstep_wait(i32 1
; CHECK: look:
; CHECK-NOT: __lockstep_wait
define void @monitor(ptr addrspace(1) %l, ptr addrspace(1) %ready) {
entry:
  br label %again
again:
  store atomic i32 0, ptr addrspace(1) %l release, align 4
  br label %take
take:
  %old = atomicrmw xchg ptr addrspace(1) %l, i32 1 acq_rel
  %free = icmp eq i32 %old, 0
  br i1 %free, label %look, label %take
look:
  %value = load i32, ptr addrspace(1) %ready
  %set = icmp ne i32 %value, 0
  br i1 %set, label %end, label %again
end:
  ret void
}

; Holds one lock, tries the other, gives back and takes the first anew.
; CHECK-LABEL: @two_locks
; CHECK: try:
; CHECK: %second = atomicrmw xchg
; CHECK: store atomic i32 0, ptr addrspace(1) %a release
; CHECK: call void @__lockstep_wait
; CHECK: %first = atomicrmw xchg
define void @two_locks(ptr addrspace(1) %a, ptr addrspace(1) %b) {
entry:
  br label %try
try:
  %second = atomicrmw xchg ptr addrspace(1) %b, i32 1 acq_rel
  %free = icmp eq i32 %second, 0
  br i1 %free, label %end, label %again
again:
  store atomic i32 0, ptr addrspace(1) %a release, align 4
  %first = atomicrmw xchg ptr addrspace(1) %a, i32 1 acq_rel
  %odd = trunc i32 %first to i1
  br i1 %odd, label %out, label %try
out:
  ret void
end:
  ret void
}

; Raises its flag, looks at the other's, lowers its own: nothing is taken by an update.
; CHECK-LABEL: @dekker
; CHECK: lower:
; CHECK: store atomic i32 0, ptr addrspace(1) %mine
; CHECK: call void @__lockstep_wait
; CHECK-NEXT: load atomic i32, ptr addrspace(1) %mine monotonic
; CHECK-NEXT: br label %raise
define void @dekker(ptr addrspace(1) %mine, ptr addrspace(1) %other) {
entry:
  br label %raise
raise:
  store atomic i32 1, ptr addrspace(1) %mine seq_cst, align 4
  %value = load atomic i32, ptr addrspace(1) %other seq_cst, align 4
  %free = icmp eq i32 %value, 0
  br i1 %free, label %end, label %lower
lower:
  store atomic i32 0, ptr addrspace(1) %mine seq_cst, align 4
  br label %raise
end:
  ret void
}
