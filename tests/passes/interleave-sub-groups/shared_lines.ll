; RUN: lockstep-opt -passes='interleave-sub-groups' %s | FileCheck %s
; Each iteration loads far away, at a multiple of the number of work-items. Two sub-groups of 16 share a cache line of `ushort`
; and run at once. A sub-group fills a line of `uint` alone, and runs alone.

; CHECK: define void @shorts({{.*}} #[[TWO:[0-9]+]]
define void @shorts(ptr addrspace(1) %a, ptr addrspace(3) %bins, i64 %n) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %items = call i64 @__lockstep_global_size(i32 0)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %far = mul i64 %i, %items
  %index = add i64 %far, %x
  %at = getelementptr i16, ptr addrspace(1) %a, i64 %index
  %values = load <16 x i16>, ptr addrspace(1) %at
  %value = extractelement <16 x i16> %values, i64 0
  %bin = getelementptr i32, ptr addrspace(3) %bins, i16 %value
  %before = atomicrmw add ptr addrspace(3) %bin, i32 1 monotonic
  %next = add i64 %i, 1
  %stay = icmp ult i64 %next, %n
  br i1 %stay, label %loop, label %done
done:
  ret void
}

; CHECK: define void @words({{.*}} #[[ONE:[0-9]+]]
define void @words(ptr addrspace(1) %a, ptr addrspace(3) %bins, i64 %n) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %items = call i64 @__lockstep_global_size(i32 0)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %far = mul i64 %i, %items
  %index = add i64 %far, %x
  %at = getelementptr i32, ptr addrspace(1) %a, i64 %index
  %values = load <16 x i32>, ptr addrspace(1) %at
  %value = extractelement <16 x i32> %values, i64 0
  %bin = getelementptr i32, ptr addrspace(3) %bins, i32 %value
  %before = atomicrmw add ptr addrspace(3) %bin, i32 1 monotonic
  %next = add i64 %i, 1
  %stay = icmp ult i64 %next, %n
  br i1 %stay, label %loop, label %done
done:
  ret void
}

; A stride that is an argument may be small.
; CHECK: define void @argument({{.*}} #[[ONE]]
define void @argument(ptr addrspace(1) %a, ptr addrspace(3) %bins, i64 %n) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %far = mul i64 %i, %n
  %index = add i64 %far, %x
  %at = getelementptr i16, ptr addrspace(1) %a, i64 %index
  %values = load <16 x i16>, ptr addrspace(1) %at
  %value = extractelement <16 x i16> %values, i64 0
  %bin = getelementptr i32, ptr addrspace(3) %bins, i16 %value
  %before = atomicrmw add ptr addrspace(3) %bin, i32 1 monotonic
  %next = add i64 %i, 1
  %stay = icmp ult i64 %next, %n
  br i1 %stay, label %loop, label %done
done:
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_global_size(i32) nounwind willreturn memory(none)

; CHECK-DAG: attributes #[[TWO]] = {{.*}}"lockstep-interleave"="0,2"
; CHECK-NOT: attributes #[[ONE]] = {{.*}}"lockstep-interleave"
attributes #0 = { "lockstep-local-size"="256,1,1" "lockstep-sub-group-size"="16" "target-cpu"="x86-64-v4" }
