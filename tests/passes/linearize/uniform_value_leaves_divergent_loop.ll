; RUN: lockstep-opt -passes='canonicalize-flow,linearize' %s | FileCheck %s
; Lanes leave the inner loop apart, but those that meet at %inside left it together: the count is one value there, and
; the branch of the outer loop relies on it. A blend by mask would make it a vector.

; CHECK-LABEL: @kernel
; CHECK: body.to.inside:
; CHECK: [[ANY:%.*]] = call i1 @__lockstep_any_lane
; CHECK: select i1 [[ANY]], i32 %next
define void @kernel(ptr addrspace(1) %p, i32 %bound) "lockstep-sub-group-size"="16" {
entry:
  %lane = call i64 @__lockstep_lane()
  %apart = icmp ult i64 %lane, 5
  br label %outer
outer:
  %start = phi i32 [ 0, %entry ], [ %next, %inside ]
  %first = phi i1 [ true, %entry ], [ false, %inside ]
  br label %inner
inner:
  %count = phi i32 [ %start, %outer ], [ %next, %body ]
  %done = icmp eq i32 %count, %bound
  br i1 %done, label %end, label %test
test:
  br i1 %apart, label %body, label %end
body:
  %next = add i32 %count, 1
  br i1 %first, label %inside, label %inner
inside:
  %address = getelementptr i32, ptr addrspace(1) %p, i64 %lane
  store i32 1, ptr addrspace(1) %address
  br label %outer
end:
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
