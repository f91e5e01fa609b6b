; RUN: lockstep-opt -passes=batch-updates %s 2>&1 | FileCheck %s --implicit-check-not=!lockstep.batched --implicit-check-not=lockstep-adds-to-counter

; CHECK-LABEL: @unused_result
define void @unused_result(ptr addrspace(1) %counter) "lockstep-local-size"="1,1,1" "lockstep-batched-updates" {
  %ticket = atomicrmw add ptr addrspace(1) %counter, i32 1 monotonic
  ret void
}

; CHECK-LABEL: @of_all_work_items
define void @of_all_work_items(ptr addrspace(1) %counter, ptr addrspace(1) %to) "lockstep-local-size"="64,1,1" "lockstep-batched-updates" {
  %ticket = atomicrmw add ptr addrspace(1) %counter, i32 1 monotonic
  store i32 %ticket, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: @in_a_loop
define void @in_a_loop(ptr addrspace(1) %counter, i32 %n) "lockstep-local-size"="1,1,1" "lockstep-batched-updates" {
entry:
  br label %loop
loop:
  %ticket = atomicrmw add ptr addrspace(1) %counter, i32 1 monotonic
  %more = icmp ult i32 %ticket, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: @of_each_group
define void @of_each_group(ptr addrspace(1) %counters, ptr addrspace(1) %to) "lockstep-local-size"="1,1,1" "lockstep-batched-updates" {
  %group = call i64 @__lockstep_group_id(i32 0)
  %counter = getelementptr i32, ptr addrspace(1) %counters, i64 %group
  %ticket = atomicrmw add ptr addrspace(1) %counter, i32 1 monotonic
  store i32 %ticket, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: @only_for_the_group
define void @only_for_the_group(ptr addrspace(1) %counter, ptr addrspace(1) %to) "lockstep-local-size"="1,1,1" "lockstep-batched-updates" {
  %ticket = atomicrmw add ptr addrspace(1) %counter, i32 1 syncscope("workgroup") monotonic
  store i32 %ticket, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: @any_local_size
define void @any_local_size(ptr addrspace(1) %counter, ptr addrspace(1) %to) "lockstep-batched-updates" {
  %ticket = atomicrmw add ptr addrspace(1) %counter, i32 1 monotonic
  store i32 %ticket, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: @waits
define void @waits(ptr addrspace(1) %counter, ptr addrspace(1) %to) "lockstep-local-size"="1,1,1" "lockstep-form"="resumable-group" "lockstep-batched-updates" {
  %ticket = atomicrmw add ptr addrspace(1) %counter, i32 1 monotonic
  store i32 %ticket, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: @has_copies
define void @has_copies(ptr addrspace(1) %counter, ptr addrspace(1) %to) "lockstep-local-size"="1,1,1" "lockstep-batched-updates" {
  %ticket = atomicrmw add ptr addrspace(1) %counter, i32 1 monotonic
  %unused = atomicrmw add ptr addrspace(1) %to, i32 %ticket monotonic, !lockstep.privatized !0
  ret void
}

; CHECK-LABEL: @another_operation
define void @another_operation(ptr addrspace(1) %counter, ptr addrspace(1) %to) "lockstep-local-size"="1,1,1" "lockstep-batched-updates" {
  %before = atomicrmw xchg ptr addrspace(1) %counter, i32 1 monotonic
  store i32 %before, ptr addrspace(1) %to
  ret void
}

declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)

!0 = !{i32 1}
