; RUN: lockstep-opt -passes='lane-ids,canonicalize-flow,unmasked-loops' --local-size=64,1,1 %s | FileCheck %s
; CHECK-NOT: all_lanes

; What another argument points to may be there only if the guard says so, even if it never changes.
define void @pointer(ptr addrspace(1) %of.step, ptr addrspace(1) %a, i64 %n, ptr addrspace(1) %out) #0 {
entry:
  %i0 = call i64 @__lockstep_local_id(i32 0)
  %enter = icmp ult i64 %i0, %n
  br i1 %enter, label %before, label %done

before:
  %step = load i64, ptr addrspace(1) %of.step, !invariant.load !0
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
  %result = phi i32 [ 0, %entry ], [ %more, %loop ]
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %i0
  store i32 %result, ptr addrspace(1) %to
  ret void
}

; Nor an element of an array in a struct, whose index only the guard keeps inside.
define void @element(ptr %block, ptr addrspace(1) %a, i64 %n, i64 %index, ptr addrspace(1) %out) #0 {
entry:
  %i0 = call i64 @__lockstep_local_id(i32 0)
  %enter = icmp ult i64 %i0, %n
  br i1 %enter, label %before, label %done

before:
  %at.step = getelementptr inbounds i64, ptr %block, i64 %index
  %step = load i64, ptr %at.step, !invariant.load !0
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
  %result = phi i32 [ 0, %entry ], [ %more, %loop ]
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %i0
  store i32 %result, ptr addrspace(1) %to
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
attributes #0 = { "lockstep-sub-group-size"="16" }
!0 = !{}
