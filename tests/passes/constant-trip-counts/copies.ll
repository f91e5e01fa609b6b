; RUN: lockstep-opt -passes='constant-trip-counts' %s | FileCheck %s

; Work-items 0 to 31 copy 64 elements: two each.
; CHECK-LABEL: @copy(
; CHECK: %iteration = phi i32 {{.*}}[ 0, %entry ]
; CHECK: %k = phi i32 [ %me, %entry ], [ %k.next, %loop ]
; CHECK: %iteration.next = add nuw i32 %iteration, 1
; CHECK: [[STAYS:%.*]] = icmp ult i32 %iteration, 1
; CHECK: br i1 [[STAYS]], label %loop, label %end
define void @copy(ptr addrspace(1) %from, ptr addrspace(3) %to) {
entry:
  %id = call range(i64 0, 32) i64 @__lockstep_local_id(i32 0)
  %me = trunc i64 %id to i32
  br label %loop
loop:
  %k = phi i32 [ %me, %entry ], [ %k.next, %loop ]
  %index = zext i32 %k to i64
  %from.at = getelementptr float, ptr addrspace(1) %from, i64 %index
  %value = load float, ptr addrspace(1) %from.at
  %to.at = getelementptr float, ptr addrspace(3) %to, i64 %index
  store float %value, ptr addrspace(3) %to.at
  %sum = add i64 %index, 32
  %k.next = trunc i64 %sum to i32
  %more = icmp ult i32 %k.next, 64
  br i1 %more, label %loop, label %end
end:
  ret void
}

; The exit is at the beginning, and by the other side of the branch.
; CHECK-LABEL: @guarded(
; CHECK: %iteration = phi i32 {{.*}}[ 0, %entry ]
; CHECK: [[ENDS:%.*]] = icmp uge i32 %iteration, 4
; CHECK: br i1 [[ENDS]], label %end, label %body
define void @guarded(ptr addrspace(3) %to) {
entry:
  %id = call range(i64 0, 16) i64 @__lockstep_local_id(i32 0)
  br label %loop
loop:
  %k = phi i64 [ %id, %entry ], [ %k.next, %body ]
  %done = icmp uge i64 %k, 64
  br i1 %done, label %end, label %body
body:
  %to.at = getelementptr float, ptr addrspace(3) %to, i64 %k
  store float 1.0, ptr addrspace(3) %to.at
  %k.next = add i64 %k, 16
  br label %loop
end:
  ret void
}

; Of 60 elements, the first 28 work-items copy two.
; CHECK-LABEL: @rest(
; CHECK-NOT: %iteration
; CHECK: ret void
define void @rest(ptr addrspace(3) %to) {
entry:
  %id = call range(i64 0, 32) i64 @__lockstep_local_id(i32 0)
  br label %loop
loop:
  %k = phi i64 [ %id, %entry ], [ %k.next, %loop ]
  %to.at = getelementptr float, ptr addrspace(3) %to, i64 %k
  store float 1.0, ptr addrspace(3) %to.at
  %k.next = add i64 %k, 32
  %more = icmp ult i64 %k.next, 60
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Each atomic update becomes one for each lane.
; CHECK-LABEL: @counts(
; CHECK: br i1 %{{[0-9]+}}, label %loop, label %end, !llvm.loop [[ONE:![0-9]+]]
define void @counts(ptr addrspace(3) %to) {
entry:
  %id = call range(i64 0, 32) i64 @__lockstep_local_id(i32 0)
  br label %loop
loop:
  %k = phi i64 [ %id, %entry ], [ %k.next, %loop ]
  %to.at = getelementptr i32, ptr addrspace(3) %to, i64 %k
  %old = atomicrmw add ptr addrspace(3) %to.at, i32 1 monotonic
  %k.next = add i64 %k, 32
  %more = icmp ult i64 %k.next, 256
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK: [[ONE]] = distinct !{[[ONE]], [[DISABLE:![0-9]+]]}
; CHECK: [[DISABLE]] = !{!"llvm.loop.unroll.disable", i32 1}
declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
