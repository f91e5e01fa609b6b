; RUN: lockstep-opt -passes=canonicalize-flow %s | FileCheck %s
; The uniform part of a condition gets a branch of its own, before the other part.

declare i64 @__lockstep_lane() nounwind willreturn memory(none)

; CHECK-LABEL: @conjunction
; CHECK: br i1 %row.inside, label %entry.rest, label %end
; CHECK: entry.rest:
; CHECK-NEXT: br i1 %lane.inside, label %then, label %end
; CHECK: end:
; CHECK-NEXT: phi i32 [ 1, %then ], [ 2, %entry ], [ 2, %entry.rest ]
define i32 @conjunction(i64 %row, i64 %n) #0 {
entry:
  %lane = call i64 @__lockstep_lane()
  %row.inside = icmp ult i64 %row, %n
  %lane.inside = icmp ult i64 %lane, %n
  %inside = and i1 %row.inside, %lane.inside
  br i1 %inside, label %then, label %end
then:
  br label %end
end:
  %result = phi i32 [ 1, %then ], [ 2, %entry ]
  ret i32 %result
}

; The part that was evaluated second may be poison if the first is true.
; CHECK-LABEL: @disjunction
; CHECK: [[ROW:%.*]] = freeze i1 %row.beyond
; CHECK-NEXT: br i1 [[ROW]], label %end, label %entry.rest
; CHECK: entry.rest:
; CHECK-NEXT: br i1 %lane.beyond, label %end, label %then
define i32 @disjunction(i64 %row, i64 %n) #0 {
entry:
  %lane = call i64 @__lockstep_lane()
  %lane.beyond = icmp uge i64 %lane, %n
  %row.beyond = icmp uge i64 %row, %n
  %beyond = select i1 %lane.beyond, i1 true, i1 %row.beyond
  br i1 %beyond, label %end, label %then
then:
  br label %end
end:
  %result = phi i32 [ 1, %then ], [ 2, %entry ]
  ret i32 %result
}

; Two parts of one kind stay together, and so does the condition of a loop.
; CHECK-LABEL: @others
; CHECK: br i1 %both, label
; CHECK: br i1 %goes.on, label
define i32 @others(i64 %row, i64 %n) #0 {
entry:
  %lane = call i64 @__lockstep_lane()
  %row.inside = icmp ult i64 %row, %n
  %row.not.first = icmp ne i64 %row, 0
  %both = and i1 %row.inside, %row.not.first
  br i1 %both, label %loop, label %end
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %lane
  %few = icmp ult i64 %next, %n
  %goes.on = and i1 %more, %few
  br i1 %goes.on, label %loop, label %end
end:
  %result = phi i32 [ 1, %loop ], [ 2, %entry ]
  ret i32 %result
}

attributes #0 = { "lockstep-sub-group-size"="16" }
