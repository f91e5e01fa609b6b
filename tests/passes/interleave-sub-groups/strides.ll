; RUN: lockstep-opt -passes='interleave-sub-groups' %s | FileCheck %s
; A strided loop that does nothing but add what it loads: sixteen sub-groups at once, 1 KiB in a row. One that computes more has
; as many as before, since each needs registers of its own.

; CHECK: define void @sum({{.*}}) #[[SUM:[0-9]+]]
define void @sum(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n, i64 %step) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  br label %loop
loop:
  %i = phi i64 [ %x, %entry ], [ %next, %loop ]
  %sum = phi <16 x i32> [ zeroinitializer, %entry ], [ %added, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %value = load <16 x i32>, ptr addrspace(1) %at
  %added = add <16 x i32> %sum, %value
  %next = add i64 %i, %step
  %for.all = insertelement <16 x i64> poison, i64 %next, i64 0
  %behind = shufflevector <16 x i64> %for.all, <16 x i64> poison, <16 x i32> zeroinitializer
  %all.here = icmp ult i64 %next, %n
  %stay = call i1 @__lockstep_all_lanes(i1 %all.here, i64 0, i64 0, i64 0, i32 0)
  br i1 %stay, label %loop, label %done
done:
  %rest = trunc <16 x i64> %behind to <16 x i32>
  %result = add <16 x i32> %added, %rest
  %to = getelementptr i32, ptr addrspace(1) %b, i64 %x
  store <16 x i32> %result, ptr addrspace(1) %to
  ret void
}

; CHECK: define void @sum_of_cubes({{.*}}) #[[CUBES:[0-9]+]]
define void @sum_of_cubes(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n, i64 %step) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  br label %loop
loop:
  %i = phi i64 [ %x, %entry ], [ %next, %loop ]
  %sum = phi <16 x i32> [ zeroinitializer, %entry ], [ %added, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %value = load <16 x i32>, ptr addrspace(1) %at
  %square = mul <16 x i32> %value, %value
  %cube = mul <16 x i32> %square, %value
  %added = add <16 x i32> %sum, %cube
  %next = add i64 %i, %step
  %all.here = icmp ult i64 %next, %n
  %stay = call i1 @__lockstep_all_lanes(i1 %all.here, i64 0, i64 0, i64 0, i32 0)
  br i1 %stay, label %loop, label %done
done:
  %to = getelementptr i32, ptr addrspace(1) %b, i64 %x
  store <16 x i32> %added, ptr addrspace(1) %to
  ret void
}

; A histogram carries nothing in vectors, and what it does with each lane is many instructions: sixteen at once spilled 228 registers.
; CHECK: define void @count({{.*}}) #[[CUBES]]
define void @count(ptr addrspace(1) %a, ptr addrspace(3) %bins, i64 %n, i64 %step) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  br label %loop
loop:
  %i = phi i64 [ %x, %entry ], [ %next, %loop ]
  %at = getelementptr i8, ptr addrspace(1) %a, i64 %i
  %values = load <16 x i8>, ptr addrspace(1) %at
  %value = extractelement <16 x i8> %values, i64 0
  %bin = getelementptr i32, ptr addrspace(3) %bins, i8 %value
  %before = atomicrmw add ptr addrspace(3) %bin, i32 1 monotonic
  %next = add i64 %i, %step
  %all.here = icmp ult i64 %next, %n
  %stay = call i1 @__lockstep_all_lanes(i1 %all.here, i64 0, i64 0, i64 0, i32 0)
  br i1 %stay, label %loop, label %done
done:
  ret void
}

declare i64 @__lockstep_local_id(i32)
declare i1 @__lockstep_all_lanes(i1, i64, i64, i64, i32)

; CHECK-DAG: attributes #[[SUM]] = {{.*}}"lockstep-interleave"="0,16"
; CHECK-DAG: attributes #[[CUBES]] = {{.*}}"lockstep-interleave"="0,8"
attributes #0 = { "lockstep-local-size"="256,1,1" "lockstep-sub-group-size"="16" "target-cpu"="x86-64-v4" }
