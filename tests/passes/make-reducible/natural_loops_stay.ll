; RUN: lockstep-opt -passes=make-reducible %s | FileCheck %s
; Loops with one entry, also nested, with several ways back and several exits, with a barrier.

; CHECK-NOT: dispatch
; CHECK: ret void
define void @kernel(i1 %c, ptr %p) convergent {
entry:
  br i1 %c, label %outer, label %end
outer:
  %a = load volatile i1, ptr %p
  br i1 %a, label %inner, label %outer
inner:
  call void @__lockstep_barrier(i32 1)
  %b = load volatile i1, ptr %p
  br i1 %b, label %inner, label %more
more:
  %d = load volatile i1, ptr %p
  br i1 %d, label %outer, label %end
end:
  ret void
}

declare void @__lockstep_barrier(i32) convergent nounwind
