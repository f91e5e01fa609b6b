; RUN: lockstep-opt -passes=rotate-polls %s | FileCheck %s
; The test comes behind the read, in the loop, and once before the loop for the first value.

@scratch = internal addrspace(3) global [4 x i64] undef

; CHECK-LABEL: @carried
; CHECK: entry:
; CHECK-NEXT: br label %test.first
; CHECK: test.first:
; CHECK-NEXT: call i64 @__lockstep_sub_group_ballot(i1 %begins)
; CHECK: call void @__lockstep_group_combine_i32
; CHECK: br i1 {{.*}}, label %read, label %end
; CHECK: test:
; CHECK-NOT: phi
; CHECK: call i64 @__lockstep_sub_group_ballot(i1 %set)
; CHECK: call void @__lockstep_group_combine_i32
; CHECK: br i1 {{.*}}, label %read, label %end, !llvm.loop
; CHECK: read:
; CHECK: %set =
; CHECK: br label %test
; CHECK-NOT: !llvm.loop
; CHECK: end:
; CHECK-NEXT: %[[LAST:.*]] = phi i1 [ %begins, %test.first ], [ %set, %test ]
; CHECK: store i1 %[[LAST]]
define void @carried(ptr addrspace(1) %p, ptr addrspace(1) %to, i1 %begins) convergent {
entry:
  br label %test
test:
  %ready = phi i1 [ %begins, %entry ], [ %set, %read ]
  %all = call i64 @__lockstep_sub_group_ballot(i1 %ready)
  %mine = trunc i64 %all to i32
  store i32 %mine, ptr addrspace(3) getelementptr (i64, ptr addrspace(3) @scratch, i64 1)
  call void @__lockstep_group_combine_i32(i32 6, i32 0, ptr addrspace(3) @scratch, i64 1)
  %combined = load i32, ptr addrspace(3) @scratch
  %waits = icmp eq i32 %combined, 0
  br i1 %waits, label %read, label %end
read:
  %value = load atomic i32, ptr addrspace(1) %p acquire, align 4
  %set = icmp sge i32 %value, 7
  br label %test, !llvm.loop !0
end:
  store i1 %ready, ptr addrspace(1) %to
  ret void
}

; Values that the iterations exchange.
; CHECK-LABEL: @exchanged
; CHECK: read:
; CHECK-DAG: %[[OLD:.*]] = phi i32 [ 0, %test.first ], [ %[[NEW:.*]], %test ]
; CHECK-DAG: %[[NEW]] = phi i32 [ 1, %test.first ], [ %value, %test ]
; CHECK: end:
; CHECK-NEXT: phi i32 [ 0, %test.first ], [ %[[NEW]], %test ]
define void @exchanged(ptr addrspace(1) %p, ptr addrspace(1) %to) convergent {
entry:
  br label %test
test:
  %old = phi i32 [ 0, %entry ], [ %new, %read ]
  %new = phi i32 [ 1, %entry ], [ %value, %read ]
  call void @__lockstep_barrier(i32 1)
  %waits = icmp ne i32 %new, %old
  br i1 %waits, label %read, label %end
read:
  %sum = add i32 %old, %new
  store volatile i32 %sum, ptr addrspace(1) %to
  %value = load atomic i32, ptr addrspace(1) %p acquire, align 4
  br label %test
end:
  store i32 %old, ptr addrspace(1) %to
  ret void
}

declare i64 @__lockstep_sub_group_ballot(i1) convergent nounwind
declare void @__lockstep_group_combine_i32(i32, i32, ptr addrspace(3), i64) convergent nounwind
declare void @__lockstep_barrier(i32) convergent nounwind

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.mustprogress"}
