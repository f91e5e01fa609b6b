; RUN: lockstep-opt -passes='canonicalize-flow,serialize-loops' %s | FileCheck %s
; The loop over a row loads from anywhere and becomes a function that each lane calls; what leaves the loop is its
; result. Its rounds are not unrolled by a number that rows do not divide by. A search, whose end depends on what it
; loads, stays.

; CHECK-LABEL: define void @rows
; CHECK: %[[SUM:.*]] = call float @serial.loop(i64 %first, ptr addrspace(1) %columns, ptr addrspace(1) %x, i64 %last)
; CHECK-NOT: gather
; CHECK: store float %[[SUM]]
define void @rows(ptr addrspace(1) %starts, ptr addrspace(1) %columns, ptr addrspace(1) %x, ptr addrspace(1) %y) #0 {
entry:
  %lane = call i64 @__lockstep_lane()
  %start.at = getelementptr i64, ptr addrspace(1) %starts, i64 %lane
  %first = load i64, ptr addrspace(1) %start.at
  %end.at = getelementptr i64, ptr addrspace(1) %start.at, i64 1
  %last = load i64, ptr addrspace(1) %end.at
  br label %loop
loop:
  %i = phi i64 [ %first, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %column.at = getelementptr i64, ptr addrspace(1) %columns, i64 %i
  %column = load i64, ptr addrspace(1) %column.at
  %x.at = getelementptr float, ptr addrspace(1) %x, i64 %column
  %value = load float, ptr addrspace(1) %x.at
  %sum.next = fadd float %sum, %value
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %last
  br i1 %more, label %loop, label %end
end:
  %y.at = getelementptr float, ptr addrspace(1) %y, i64 %lane
  store float %sum.next, ptr addrspace(1) %y.at
  ret void
}

; CHECK-LABEL: define void @search
; CHECK-NOT: call {{.*}} @serial
; CHECK: ret void
define void @search(ptr addrspace(1) %links, ptr addrspace(1) %y) #0 {
entry:
  %lane = call i64 @__lockstep_lane()
  br label %loop
loop:
  %at = phi i64 [ %lane, %entry ], [ %next, %loop ]
  %link.at = getelementptr i64, ptr addrspace(1) %links, i64 %at
  %next = load i64, ptr addrspace(1) %link.at
  %more = icmp ne i64 %next, 0
  br i1 %more, label %loop, label %end
end:
  %y.at = getelementptr i64, ptr addrspace(1) %y, i64 %lane
  store i64 %at, ptr addrspace(1) %y.at
  ret void
}

; CHECK-LABEL: define internal float @serial.loop(
; CHECK: phi float
; CHECK: br i1 %{{.*}}, !llvm.loop [[LOOP:![0-9]+]]
; CHECK: ret float
; CHECK: [[LOOP]] = distinct !{[[LOOP]], [[NO_UNROLLING:![0-9]+]]}
; CHECK: [[NO_UNROLLING]] = !{!"llvm.loop.unroll.runtime.disable", i32 1}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)

attributes #0 = { "lockstep-sub-group-size"="16" }
