; RUN: lockstep-opt -passes=merge-barrier-loops %s | FileCheck %s --implicit-check-not=dispatch

; All lanes leave the inner loop together: both loops stay.
; CHECK-LABEL: @together
define void @together(ptr addrspace(1) %p, i32 %n) convergent "lockstep-sub-group-size"="4" {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i1, %next ]
  br label %inner
inner:
  %k = phi i32 [ 0, %outer ], [ %k1, %inner ]
  call void @__lockstep_barrier(i32 1)
  %k1 = add i32 %k, 1
  %again = icmp ult i32 %k1, %i
  br i1 %again, label %inner, label %next
next:
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %outer, label %end
end:
  ret void
}

; Lanes leave the inner loop at different iterations, but it has no barrier.
; CHECK-LABEL: @without
define void @without(ptr addrspace(1) %p, i32 %n) convergent "lockstep-sub-group-size"="4" {
entry:
  %lane = call i64 @__lockstep_lane()
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i1, %next ]
  call void @__lockstep_barrier(i32 1)
  br label %inner
inner:
  %k = phi i64 [ 0, %outer ], [ %k1, %inner ]
  %k1 = add i64 %k, 1
  %again = icmp ult i64 %k1, %lane
  br i1 %again, label %inner, label %next
next:
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %outer, label %end
end:
  ret void
}

; Lanes leave the loop with the barrier at different iterations, and do not come back.
; CHECK-LABEL: @apart
define void @apart(ptr addrspace(1) %p) convergent "lockstep-sub-group-size"="4" {
entry:
  %lane = call i64 @__lockstep_lane()
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %loop ]
  call void @__lockstep_barrier(i32 1)
  %k1 = add i64 %k, 1
  %again = icmp ult i64 %k1, %lane
  br i1 %again, label %loop, label %end
end:
  ret void
}

; Whether a lane reaches the barrier again depends on the branch, so all lanes take the same side.
; CHECK-LABEL: @decides
define void @decides(ptr addrspace(1) %p, i32 %n) convergent "lockstep-sub-group-size"="4" {
entry:
  %lane = call i64 @__lockstep_lane()
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i1, %next ]
  br label %inner
inner:
  %k = phi i64 [ 0, %outer ], [ %k1, %inner ]
  call void @__lockstep_barrier(i32 1)
  %k1 = add i64 %k, 1
  %again = icmp ult i64 %k1, %lane
  br i1 %again, label %inner, label %next
next:
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %outer, label %end
end:
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare void @__lockstep_barrier(i32) convergent nounwind
