; RUN: env LOCKSTEP_FORM=auto LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes=choose-sub-group-size %s 2>&1 | FileCheck %s
; RUN: env LOCKSTEP_FORM=auto LOCKSTEP_CPU=x86-64-v3 lockstep-opt -passes=choose-sub-group-size %s 2>&1 | FileCheck %s --check-prefix=AVX2
; Each sub-group reads a piece and goes on by the number of work-items. Where sub-groups do not run several at once, one is
; four registers wide.

; CHECK: wide sub-groups: a loop steps over all work-items
; CHECK-NOT: wide sub-groups
; CHECK: @waits({{.*}} [[WIDE:#[0-9]+]]
; CHECK: @ends({{.*}} [[ONE:#[0-9]+]]
; CHECK: @by_four({{.*}} [[OTHER:#[0-9]+]]
; CHECK-DAG: attributes [[WIDE]] = {{.*}}"lockstep-sub-group-size"="64"
; CHECK-DAG: attributes [[ONE]] = {{.*}}"lockstep-sub-group-size"="16" }
; CHECK-DAG: attributes [[OTHER]] = {{.*}}"lockstep-sub-group-size"="16"
; AVX2-DAG: "lockstep-sub-group-size"="32"
; AVX2-DAG: attributes #{{[0-9]+}} = {{.*}}"lockstep-sub-group-size"="8" }
define void @waits(ptr addrspace(1) %p, i64 %n) "lockstep-form"="resumable" {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %all = call i64 @__lockstep_global_size(i32 0)
  br label %loop
loop:
  %i = phi i64 [ %id, %entry ], [ %next, %loop ]
  %place = getelementptr float, ptr addrspace(1) %p, i64 %i
  %value = load volatile float, ptr addrspace(1) %place
  %next = add i64 %i, %all
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}

define void @ends(ptr addrspace(1) %p, i64 %n) {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %all = call i64 @__lockstep_global_size(i32 0)
  br label %loop
loop:
  %i = phi i64 [ %id, %entry ], [ %next, %loop ]
  %place = getelementptr float, ptr addrspace(1) %p, i64 %i
  %value = load volatile float, ptr addrspace(1) %place
  %next = add i64 %i, %all
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}

define void @by_four(ptr addrspace(1) %p, i64 %n) "lockstep-form"="resumable" {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  br label %loop
loop:
  %i = phi i64 [ %id, %entry ], [ %next, %loop ]
  %place = getelementptr float, ptr addrspace(1) %p, i64 %i
  %value = load volatile float, ptr addrspace(1) %place
  %next = add i64 %i, 4
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_global_size(i32) nounwind willreturn memory(none)
