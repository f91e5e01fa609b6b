; RUN: env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes='coalesce-indistinct-groups' %s | FileCheck %s
; A loop that computes in registers alone waits for itself: eight sub-groups hide that. Groups of 16 and of 64 become one of 128
; work-items. A loop that loads has other reasons to wait, and a loop that counts does not wait.

; CHECK: define void @chain({{.*}}) #[[LONG:[0-9]+]]
define void @chain(ptr addrspace(1) %to, float %factor, i64 %n) #0 {
entry:
  %x = call range(i64 0, 64) i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %left = shl i64 %group, 6
  %id = or disjoint i64 %left, %x
  %begin = uitofp i64 %id to float
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %value = phi float [ %begin, %entry ], [ %value.next, %loop ]
  %value.next = call float @llvm.fmuladd.f32(float %value, float %factor, float 1.0)
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %n
  br i1 %more, label %loop, label %end
end:
  %at = getelementptr float, ptr addrspace(1) %to, i64 %id
  store float %value.next, ptr addrspace(1) %at
  ret void
}

; CHECK: define void @short_groups({{.*}}) #[[OF_SHORT:[0-9]+]]
define void @short_groups(ptr addrspace(1) %to, float %factor, i64 %n) #1 {
entry:
  %x = call range(i64 0, 16) i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %left = shl i64 %group, 4
  %id = or disjoint i64 %left, %x
  %begin = uitofp i64 %id to float
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %value = phi float [ %begin, %entry ], [ %value.next, %loop ]
  %value.next = call float @llvm.fmuladd.f32(float %value, float %factor, float 1.0)
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %n
  br i1 %more, label %loop, label %end
end:
  %at = getelementptr float, ptr addrspace(1) %to, i64 %id
  store float %value.next, ptr addrspace(1) %at
  ret void
}

; CHECK: define void @loads({{.*}}) #[[SAME:[0-9]+]]
define void @loads(ptr addrspace(1) %to, ptr addrspace(1) %from, i64 %n) #0 {
entry:
  %x = call range(i64 0, 64) i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %left = shl i64 %group, 6
  %id = or disjoint i64 %left, %x
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %value = phi float [ 0.0, %entry ], [ %value.next, %loop ]
  %from.at = getelementptr float, ptr addrspace(1) %from, i64 %i
  %loaded = load float, ptr addrspace(1) %from.at
  %value.next = fadd float %value, %loaded
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %n
  br i1 %more, label %loop, label %end
end:
  %at = getelementptr float, ptr addrspace(1) %to, i64 %id
  store float %value.next, ptr addrspace(1) %at
  ret void
}

; CHECK: define void @counts({{.*}}) #[[SAME]]
define void @counts(ptr addrspace(1) %to, i64 %n) #0 {
entry:
  %x = call range(i64 0, 64) i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %left = shl i64 %group, 6
  %id = or disjoint i64 %left, %x
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %i.next = add i64 %i, %x
  %more = icmp ult i64 %i.next, %n
  br i1 %more, label %loop, label %end
end:
  %at = getelementptr i64, ptr addrspace(1) %to, i64 %id
  store i64 %i.next, ptr addrspace(1) %at
  ret void
}

; CHECK-DAG: attributes #[[LONG]] = {{.*}}"lockstep-local-size"="128,1,1"
; CHECK-DAG: attributes #[[OF_SHORT]] = {{.*}}"lockstep-local-size"="128,1,1"
; CHECK-DAG: attributes #[[SAME]] = {{.*}}"lockstep-local-size"="64,1,1"
declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)

attributes #0 = { "lockstep-local-size"="64,1,1" "lockstep-neighbor-groups"="16,1,1" }
attributes #1 = { "lockstep-local-size"="16,1,1" "lockstep-neighbor-groups"="16,1,1" }
