; RUN: lockstep-opt -passes='isolate-group-operations,work-item-loops' --local-size=8,1,1 %s | FileCheck %s
; %x is the same wherever it is known, but work-item 7 must not replace by poison what work-item 0 loaded.

; CHECK-LABEL: @kernel
; CHECK: %[[ARRAY:.*]] = alloca i32, i64 8
; CHECK: %[[PLACE:.*]] = getelementptr inbounds i32, ptr %[[ARRAY]], i64
; CHECK: store i32 %x.r0, ptr %[[PLACE]]
define void @kernel(ptr addrspace(1) %p, i64 %n) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %works = icmp ugt i64 %n, %id
  %other = icmp ne i64 %id, 5
  %both = and i1 %works, %other
  br i1 %both, label %work, label %join
work:
  %loaded = load i32, ptr addrspace(1) %p
  br label %join
join:
  %x = phi i32 [ %loaded, %work ], [ poison, %entry ]
  call void @__lockstep_barrier(i32 2)
  br i1 %both, label %store, label %end
store:
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %id
  store i32 %x, ptr addrspace(1) %place
  br label %end
end:
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare void @__lockstep_barrier(i32) convergent nounwind
