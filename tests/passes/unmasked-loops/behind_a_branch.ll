; RUN: lockstep-opt -passes='lane-ids,canonicalize-flow,unmasked-loops' --local-size=64,1,1 %s | FileCheck %s
; A branch that all lanes take alike may be before the loop. Lanes that took a branch of their own stay masked.

; CHECK-LABEL: @alike
; CHECK: call i1 @__lockstep_all_lanes
; CHECK: call i1 @__lockstep_all_lanes
define void @alike(ptr addrspace(1) %a, i64 %n, i64 %step, ptr addrspace(1) %out) #0 {
entry:
  %i0 = call i64 @__lockstep_local_id(i32 0)
  %some = icmp ne i64 %n, 1
  br i1 %some, label %first, label %end

first:
  %enter = icmp ult i64 %i0, %n
  br i1 %enter, label %before, label %done

before:
  br label %loop

loop:
  %i = phi i64 [ %i0, %before ], [ %next, %loop ]
  %sum = phi i32 [ 0, %before ], [ %more, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %value = load i32, ptr addrspace(1) %at
  %more = add i32 %sum, %value
  %next = add i64 %i, %step
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %done

done:
  %result = phi i32 [ 0, %first ], [ %more, %loop ]
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %i0
  store i32 %result, ptr addrspace(1) %to
  br label %end

end:
  ret void
}

; CHECK-LABEL: @lane_by_lane
; CHECK-NOT: all_lanes
; CHECK: ret void
define void @lane_by_lane(ptr addrspace(1) %a, i64 %n, i64 %step, ptr addrspace(1) %out) #0 {
entry:
  %i0 = call i64 @__lockstep_local_id(i32 0)
  %odd = and i64 %i0, 1
  %some = icmp ne i64 %odd, 0
  br i1 %some, label %first, label %end

first:
  %enter = icmp ult i64 %i0, %n
  br i1 %enter, label %before, label %done

before:
  br label %loop

loop:
  %i = phi i64 [ %i0, %before ], [ %next, %loop ]
  %sum = phi i32 [ 0, %before ], [ %more, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %value = load i32, ptr addrspace(1) %at
  %more = add i32 %sum, %value
  %next = add i64 %i, %step
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %done

done:
  %result = phi i32 [ 0, %first ], [ %more, %loop ]
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %i0
  store i32 %result, ptr addrspace(1) %to
  br label %end

end:
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
attributes #0 = { "lockstep-sub-group-size"="16" }
