; RUN: lockstep-opt -passes='unmasked-guards' %s | FileCheck %s
; Behind a guard, a loop that computes in registers alone has a version for sub-groups of which all work-items pass: sub-groups
; that run at once hide its latency. A loop that work-items leave apart has none.

; CHECK-LABEL: @guarded
; CHECK: call i1 {{.*}}@__lockstep_all_lanes
; CHECK-COUNT-2: call float @llvm.fmuladd.f32
define void @guarded(ptr addrspace(1) %to, i64 %n, i64 %count) #0 {
entry:
  %x = call range(i64 0, 256) i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %left = shl i64 %group, 8
  %id = or disjoint i64 %left, %x
  %inside = icmp ult i64 %id, %n
  br i1 %inside, label %begin, label %end
begin:
  %first = uitofp i64 %id to float
  br label %loop
loop:
  %i = phi i64 [ 0, %begin ], [ %i.next, %loop ]
  %value = phi float [ %first, %begin ], [ %value.next, %loop ]
  %value.next = call float @llvm.fmuladd.f32(float %value, float 0.5, float 1.0)
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %count
  br i1 %more, label %loop, label %last
last:
  %at = getelementptr float, ptr addrspace(1) %to, i64 %id
  store float %value.next, ptr addrspace(1) %at
  br label %end
end:
  ret void
}

; CHECK-LABEL: @leaves_apart
; CHECK-NOT: @__lockstep_all_lanes
define void @leaves_apart(ptr addrspace(1) %to, i64 %n) #0 {
entry:
  %x = call range(i64 0, 256) i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %left = shl i64 %group, 8
  %id = or disjoint i64 %left, %x
  %inside = icmp ult i64 %id, %n
  br i1 %inside, label %begin, label %end
begin:
  %first = uitofp i64 %id to float
  br label %loop
loop:
  %i = phi i64 [ 0, %begin ], [ %i.next, %loop ]
  %value = phi float [ %first, %begin ], [ %value.next, %loop ]
  %value.next = call float @llvm.fmuladd.f32(float %value, float 0.5, float 1.0)
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %id
  br i1 %more, label %loop, label %last
last:
  %at = getelementptr float, ptr addrspace(1) %to, i64 %id
  store float %value.next, ptr addrspace(1) %at
  br label %end
end:
  ret void
}

; CHECK: declare {{.*}}@__lockstep_local_id
declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)

attributes #0 = { "lockstep-local-size"="256,1,1" "lockstep-sub-group-size"="16" }
