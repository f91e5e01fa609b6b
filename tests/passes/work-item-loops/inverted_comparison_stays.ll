; RUN: lockstep-opt -passes='isolate-group-operations,work-item-loops' %s | FileCheck %s
; `if (id <= n)` as a branch around it on `id > n`: below the bound that comparison is false, not true.

; CHECK-LABEL: @kernel
; CHECK-NOT: br i1 true
; CHECK: icmp ugt i64 %{{.*}}, %n
; CHECK-NOT: br i1 true
; CHECK: store float 1.000000e+00
; CHECK-NOT: br i1 true
define void @kernel(ptr addrspace(1) %a, i64 %n) #0 {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %at = getelementptr float, ptr addrspace(1) %a, i64 %id
  call void @__lockstep_barrier(i32 1)
  %beyond = icmp ugt i64 %id, %n
  br i1 %beyond, label %done, label %work
work:
  store float 1.0, ptr addrspace(1) %at
  br label %done
done:
  call void @__lockstep_barrier(i32 1)
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare void @__lockstep_barrier(i32) convergent nounwind

attributes #0 = { "lockstep-local-size"="8,1,1" }
