; RUN: lockstep-opt -passes='lane-ids,canonicalize-flow,unmasked-loops' --local-size=64,1,1 %s | FileCheck %s
; `for (i = id; i < n; i += step) sum += a[i]` where a, n and step stand in a function object: they are loaded behind the
; guard, and may be loaded before it.

; CHECK-LABEL: define void @struct
; CHECK: %a = load ptr addrspace(1), ptr %at.a
; CHECK: %step = load i64, ptr %at.step
; CHECK: [[ALL:%.*]] = call i1 @__lockstep_all_lanes(i1 %enter, {{.*}})
; CHECK: br i1 [[ALL]], label %loop.full.preheader, label %[[GUARD:entry.split]]
; CHECK: [[GUARD]]:
; CHECK: before:
; CHECK-NEXT: br label %loop
define void @struct(ptr %block) #0 {
entry:
  %n = load i64, ptr %block, !invariant.load !0
  %i0 = call i64 @__lockstep_local_id(i32 0)
  %enter = icmp ult i64 %i0, %n
  br i1 %enter, label %before, label %done

before:
  %at.a = getelementptr inbounds i8, ptr %block, i64 8
  %a = load ptr addrspace(1), ptr %at.a, !invariant.load !0
  %generic = addrspacecast ptr %block to ptr addrspace(4)
  %at.step = getelementptr inbounds i8, ptr %block, i64 16
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
  %at.out = getelementptr inbounds i8, ptr %block, i64 24
  %out = load ptr addrspace(1), ptr %at.out, !invariant.load !0
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %i0
  store i32 %result, ptr addrspace(1) %to
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
attributes #0 = { "lockstep-sub-group-size"="16" }
!0 = !{}
