; RUN: lockstep-opt -passes=make-reducible %s | FileCheck %s
; The cycle of %inner and %meeting has two entries. Work-items that leave it for %outer reach the same barrier next as those that
; go to %inner at once, so both continue at the dispatch block of the loop around it.

; CHECK: entry:
; CHECK-NEXT: br label %dispatch
; CHECK: meeting:
; CHECK: call void @__lockstep_barrier
; CHECK: br i1 %more, label %dispatch, label %end
define void @kernel(ptr %p, i1 %direct, i1 %skip, i32 %n) {
entry:
  br label %outer
outer:
  %k = phi i32 [ 0, %entry ], [ %next, %again ]
  br i1 %skip, label %meeting, label %inner
inner:
  %k.inner = phi i32 [ %k, %outer ], [ %next, %again ]
  store i32 %k.inner, ptr %p
  br label %meeting
meeting:
  %k.meeting = phi i32 [ %k, %outer ], [ %k.inner, %inner ]
  call void @__lockstep_barrier(i32 1)
  %next = add i32 %k.meeting, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %again, label %end
again:
  br i1 %direct, label %inner, label %outer
end:
  ret void
}

declare void @__lockstep_barrier(i32)
