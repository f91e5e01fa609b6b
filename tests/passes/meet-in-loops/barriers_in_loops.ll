; RUN: lockstep-opt -nvidia=sm_90 -passes=meet-in-loops %s | FileCheck %s

; Some lanes go from %again to the barrier at once, others through %longer. The two loops become one.
; CHECK-LABEL: @of_two_loops
; CHECK: dispatch:
; CHECK: br i1 %more, label %dispatch, label %end
define void @of_two_loops(ptr addrspace(1) %p, i32 %n) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %some = icmp ult i64 %id, 2
  br label %longer
longer:
  %i = phi i32 [ 0, %entry ], [ %i1, %again ]
  br label %meeting
meeting:
  %i1 = phi i32 [ %i, %longer ], [ %i2, %again ]
  call void @__lockstep_barrier(i32 1)
  %i2 = add i32 %i1, 1
  %more = icmp ult i32 %i2, %n
  br i1 %more, label %again, label %end
again:
  br i1 %some, label %meeting, label %longer
end:
  ret void
}

; All work-items leave the inner loop together: the loops and the switch stay.
; CHECK-LABEL: @of_uniform_loops
; CHECK-NOT: dispatch
; CHECK: switch
; CHECK-NOT: dispatch
define void @of_uniform_loops(i32 %n) convergent {
entry:
  switch i32 %n, label %outer [ i32 3, label %end
                                i32 5, label %end
                                i32 7, label %end ]
outer:
  %i = phi i32 [ 0, %entry ], [ %i1, %latch ]
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j1, %inner ]
  call void @__lockstep_barrier(i32 1)
  %j1 = add i32 %j, 1
  %more = icmp ult i32 %j1, %i
  br i1 %more, label %inner, label %latch
latch:
  %i1 = add i32 %i, 1
  %again = icmp ult i32 %i1, %n
  br i1 %again, label %outer, label %end
end:
  ret void
}
declare void @__lockstep_barrier(i32) convergent
declare i64 @__lockstep_local_id(i32)
