; RUN: lockstep-opt -passes=interleave-sub-groups %s 2>&1 | FileCheck %s --implicit-check-not='transposed in registers'
; Sub-groups that come along different edges, or leave a loop in different iterations, have addresses that are not an element
; apart.

; CHECK-LABEL: @edges
; CHECK: scatter
define void @edges(<4 x i64> %columns, <4 x float> %value, ptr addrspace(1) %to, ptr addrspace(1) %seen) #0 {
entry:
  %y = call range(i64 0, 4) i64 @__lockstep_local_id(i32 1)
  %is.odd = trunc i64 %y to i1
  br i1 %is.odd, label %odd, label %join
odd:
  store i32 1, ptr addrspace(1) %seen
  br label %join
join:
  %more = phi i64 [ 0, %entry ], [ 5, %odd ]
  %sum = add i64 %y, %more
  %rows = getelementptr float, ptr addrspace(1) %to, <4 x i64> %columns
  %place = getelementptr float, <4 x ptr addrspace(1)> %rows, i64 %sum
  call void @llvm.masked.scatter.v4f32.v4p1(<4 x float> %value, <4 x ptr addrspace(1)> align 4 %place, <4 x i1> splat (i1 true))
  ret void
}

; CHECK-LABEL: @iterations
; CHECK: scatter
define void @iterations(<4 x i64> %columns, <4 x float> %value, ptr addrspace(1) %to, ptr addrspace(1) %seen) #0 {
entry:
  %y = call range(i64 0, 4) i64 @__lockstep_local_id(i32 1)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  store volatile i32 1, ptr addrspace(1) %seen
  %next = add i64 %i, 2
  %leaves = icmp ugt i64 %next, %y
  br i1 %leaves, label %end, label %loop
end:
  %last = phi i64 [ %i, %loop ]
  %sum = add i64 %y, %last
  %rows = getelementptr float, ptr addrspace(1) %to, <4 x i64> %columns
  %place = getelementptr float, <4 x ptr addrspace(1)> %rows, i64 %sum
  call void @llvm.masked.scatter.v4f32.v4p1(<4 x float> %value, <4 x ptr addrspace(1)> align 4 %place, <4 x i1> splat (i1 true))
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)

attributes #0 = { "lockstep-sub-group-size"="4" "lockstep-local-size"="4,4,1" }
