; RUN: lockstep-opt -passes='lane-ids,canonicalize-flow,unmasked-loops' --local-size=64,1,1 %s | FileCheck %s
; CHECK-NOT: all_lanes

; Lanes leave when their own data says so: there is no telling that they stay together.
define void @data(ptr addrspace(1) %a) #0 {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %at = getelementptr i32, ptr addrspace(1) %a, i64 %id
  %limit = load i32, ptr addrspace(1) %at
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  store i32 %i, ptr addrspace(1) %at
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, %limit
  br i1 %again, label %loop, label %done
done:
  ret void
}

; Not all lanes get to the guard.
define void @nested(ptr addrspace(1) %a, i64 %n, i64 %step) #0 {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %odd = trunc i64 %id to i1
  br i1 %odd, label %guard, label %end
guard:
  %enter = icmp ult i64 %id, %n
  br i1 %enter, label %loop, label %end
loop:
  %i = phi i64 [ %id, %guard ], [ %next, %loop ]
  %at = getelementptr i64, ptr addrspace(1) %a, i64 %i
  store i64 %i, ptr addrspace(1) %at
  %next = add i64 %i, %step
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}

; The preheader loads what the loop may change: it cannot come first for all.
define void @loads_before(ptr addrspace(1) %a, i64 %n, i64 %step) #0 {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %enter = icmp ult i64 %id, %n
  br i1 %enter, label %before, label %end
before:
  %first = load i64, ptr addrspace(1) %a
  br label %loop
loop:
  %i = phi i64 [ %id, %before ], [ %next, %loop ]
  %at = getelementptr i64, ptr addrspace(1) %a, i64 %i
  store i64 %first, ptr addrspace(1) %at
  %next = add i64 %i, %step
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
attributes #0 = { "lockstep-sub-group-size"="16" }
