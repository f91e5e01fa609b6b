; RUN: lockstep-opt -passes='packetize' %s | FileCheck %s
; a[row * n + k], k going up by one: each lane goes along a row, and whether rows are neighbors is not looked at in each round.
; With what goes up by two it is.

; CHECK-LABEL: @by_one
; CHECK-NOT: %neighbors
; CHECK: call <16 x i32> @llvm.masked.gather
; CHECK-NOT: %neighbors
; CHECK: ret void
define void @by_one(ptr addrspace(1) %table, i64 %n, ptr addrspace(1) %to) #0 {
entry:
  %lane = call i64 @__lockstep_lane()
  %row = mul i64 %lane, %n
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %place = add i64 %row, %k
  %at = getelementptr i32, ptr addrspace(1) %table, i64 %place
  %value = load i32, ptr addrspace(1) %at
  %more = add i32 %sum, %value
  %next = add i64 %k, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop
end:
  %to.at = getelementptr i32, ptr addrspace(1) %to, i64 %lane
  store i32 %more, ptr addrspace(1) %to.at
  ret void
}

; CHECK-LABEL: @by_one_narrow
; CHECK-NOT: %neighbors
; CHECK: call <16 x i32> @llvm.masked.gather
; CHECK-NOT: %neighbors
; CHECK: ret void
define void @by_one_narrow(ptr addrspace(1) %table, i32 %n, i64 %rounds, ptr addrspace(1) %to) #0 {
entry:
  %lane = call i64 @__lockstep_lane()
  %narrow = trunc i64 %lane to i32
  %row = mul i32 %narrow, %n
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %count = trunc i64 %k to i32
  %place = add i32 %row, %count
  %wide = zext i32 %place to i64
  %at = getelementptr i32, ptr addrspace(1) %table, i64 %wide
  %value = load i32, ptr addrspace(1) %at
  %more = add i32 %sum, %value
  %next = add i64 %k, 1
  %done = icmp eq i64 %next, %rounds
  br i1 %done, label %end, label %loop
end:
  %to.at = getelementptr i32, ptr addrspace(1) %to, i64 %lane
  store i32 %more, ptr addrspace(1) %to.at
  ret void
}

; CHECK-LABEL: @by_two
; CHECK: br i1 %neighbors
; CHECK: ret void
define void @by_two(ptr addrspace(1) %table, i64 %n, ptr addrspace(1) %to) #0 {
entry:
  %lane = call i64 @__lockstep_lane()
  %row = mul i64 %lane, %n
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %place = add i64 %row, %k
  %at = getelementptr i32, ptr addrspace(1) %table, i64 %place
  %value = load i32, ptr addrspace(1) %at
  %more = add i32 %sum, %value
  %next = add i64 %k, 2
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop
end:
  %to.at = getelementptr i32, ptr addrspace(1) %to, i64 %lane
  store i32 %more, ptr addrspace(1) %to.at
  ret void
}

; Backwards, and the loop's variable is a part of a uniform sum.
; CHECK-LABEL: @backwards
; CHECK-NOT: %neighbors
; CHECK: call <16 x i32> @llvm.masked.gather
; CHECK-NOT: %neighbors
; CHECK: ret void
define void @backwards(ptr addrspace(1) %table, i64 %n, i64 %first, ptr addrspace(1) %to) #0 {
entry:
  %lane = call i64 @__lockstep_lane()
  %row = mul i64 %lane, %n
  br label %loop
loop:
  %k = phi i64 [ %n, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %column = add i64 %k, %first
  %place = add i64 %row, %column
  %at = getelementptr i32, ptr addrspace(1) %table, i64 %place
  %value = load i32, ptr addrspace(1) %at
  %more = add i32 %sum, %value
  %next = add i64 %k, -1
  %done = icmp eq i64 %next, 0
  br i1 %done, label %end, label %loop
end:
  %to.at = getelementptr i32, ptr addrspace(1) %to, i64 %lane
  store i32 %more, ptr addrspace(1) %to.at
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)

attributes #0 = { "lockstep-sub-group-size"="16" "target-cpu"="znver5" }
