; RUN: lockstep-opt -passes='isolate-group-operations,work-item-loops' --local-size=8,1,1 %s | FileCheck %s
; `if (id >= n) return;` before a barrier: a sub-group that is gone is skipped, and holds up nobody.

; CHECK-LABEL: @kernel
; CHECK: %sub.groups.gone = alloca i8, i64 8, align 64
; CHECK: call void @llvm.memset{{.*}}(ptr align 1 %sub.groups.gone, i8 0, i64 8
; The end is next if nobody says otherwise.
; CHECK: %next.operation{{.*}} = phi i32 [ 0, %region.0.first ]
; CHECK: region.0.to.end:
; CHECK: store i8 1, ptr
; CHECK: %gone{{[0-9]*}} = load i8, ptr
; CHECK-NEXT: icmp ne i8
; CHECK-NEXT: br i1 %{{[0-9]+}}, label %region.1.latch
define void @kernel(ptr addrspace(1) %p, i64 %n) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %end = icmp uge i64 %id, %n
  br i1 %end, label %gone, label %stay
gone:
  ret void
stay:
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %id
  call void @__lockstep_barrier(i32 2)
  store i32 1, ptr addrspace(1) %place
  ret void
}

; All come to the barrier: nothing to remember.
; CHECK-LABEL: @all_stay
; CHECK-NOT: sub.groups.gone
define void @all_stay(ptr addrspace(1) %p, i64 %n, i64 %rounds) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  call void @__lockstep_barrier(i32 2)
  %small = icmp ult i64 %id, %n
  br i1 %small, label %then, label %join
then:
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %id
  store i32 1, ptr addrspace(1) %place
  br label %join
join:
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %rounds
  br i1 %more, label %loop, label %after
after:
  %first = icmp eq i64 %id, 0
  br i1 %first, label %last, label %end
last:
  store i32 2, ptr addrspace(1) %p
  br label %end
end:
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare void @__lockstep_barrier(i32) convergent nounwind
