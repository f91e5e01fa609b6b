; RUN: lockstep-opt -passes=unmasked-guards %s | FileCheck %s
; CHECK-NOT: __lockstep_all_lanes

; Rows load their own.
define void @own_rows(ptr addrspace(1) %a, i64 %n) #0 {
entry:
  %y = call i64 @__lockstep_local_id(i32 1)
  %inside = icmp ult i64 %y, %n
  br i1 %inside, label %loop, label %end
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %at = getelementptr [64 x i64], ptr addrspace(1) %a, i64 %y, i64 %k
  %value = load i64, ptr addrspace(1) %at
  store i64 %value, ptr addrspace(1) %a
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; The guard is the same in all rows.
define void @columns(ptr addrspace(1) %a, i64 %n) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %inside = icmp ult i64 %x, %n
  br i1 %inside, label %loop, label %end
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %at = getelementptr i64, ptr addrspace(1) %a, i64 %k
  %value = load i64, ptr addrspace(1) %at
  store i64 %value, ptr addrspace(1) %a
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; A barrier, which all work-items of a group must reach together.
define void @barrier(ptr addrspace(1) %a, i64 %n) #0 {
entry:
  %y = call i64 @__lockstep_local_id(i32 1)
  %inside = icmp ult i64 %y, %n
  br i1 %inside, label %loop, label %end
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %at = getelementptr i64, ptr addrspace(1) %a, i64 %k
  %value = load i64, ptr addrspace(1) %at
  call void @__lockstep_barrier(i32 1)
  store i64 %value, ptr addrspace(1) %a
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; A group whose last sub-group is not full; a single row, of which the launch offers no other.
define void @part(ptr addrspace(1) %a, i64 %n) #1 {
entry:
  %y = call i64 @__lockstep_local_id(i32 1)
  %inside = icmp ult i64 %y, %n
  br i1 %inside, label %loop, label %end
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %at = getelementptr i64, ptr addrspace(1) %a, i64 %k
  %value = load i64, ptr addrspace(1) %at
  store i64 %value, ptr addrspace(1) %a
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
define void @alone(ptr addrspace(1) %a, i64 %n) #2 {
entry:
  %y = call i64 @__lockstep_group_id(i32 1)
  %inside = icmp ult i64 %y, %n
  br i1 %inside, label %loop, label %end
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %at = getelementptr i64, ptr addrspace(1) %a, i64 %k
  %value = load i64, ptr addrspace(1) %at
  store i64 %value, ptr addrspace(1) %a
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

declare void @__lockstep_barrier(i32) convergent nounwind
declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)

attributes #0 = { "lockstep-local-size"="16,16,1" "lockstep-sub-group-size"="16" }
attributes #1 = { "lockstep-local-size"="12,6,1" "lockstep-sub-group-size"="16" }
attributes #2 = { "lockstep-local-size"="64,1,1" "lockstep-sub-group-size"="16" }
