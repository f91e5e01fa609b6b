; RUN: lockstep-opt -passes='isolate-group-operations,work-item-loops' --local-size=64,1,1 %s | FileCheck %s
; Only the version with the guard has sub-groups that end early. Regions of the other one do not look for them.

; CHECK-LABEL: @kernel
; CHECK: %sub.groups.gone = alloca
; CHECK: %gone = load i8
; CHECK: store i32 1, ptr addrspace(1) %guarded
; CHECK-NOT: load i8
; CHECK: store i32 2, ptr addrspace(1) %unguarded
define void @kernel(ptr addrspace(1) %guarded, ptr addrspace(1) %unguarded, i64 %n, i1 %all) #0 {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  br i1 %all, label %full, label %guard
guard:
  %inside = icmp ult i64 %id, %n
  br i1 %inside, label %some, label %end
some:
  call void @__lockstep_barrier(i32 1)
  store i32 1, ptr addrspace(1) %guarded
  br label %end
full:
  call void @__lockstep_barrier(i32 1)
  store i32 2, ptr addrspace(1) %unguarded
  br label %end
end:
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare void @__lockstep_barrier(i32) convergent nounwind
attributes #0 = { "lockstep-local-size"="64,1,1" "lockstep-sub-group-size"="16" }
