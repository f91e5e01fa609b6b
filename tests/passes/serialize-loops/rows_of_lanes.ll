; RUN: lockstep-opt -passes='canonicalize-flow,serialize-loops' %s | FileCheck %s
; Each lane adds a row of its own, and rows begin 16 elements apart. Rows of different lengths are not transposed, so each
; lane adds its row alone. Rows of one length are.

; CHECK-LABEL: define void @different_lengths(
; CHECK: call float @serial.loop
; CHECK: ret void
define void @different_lengths(ptr addrspace(1) %lengths, ptr addrspace(1) %x, ptr addrspace(1) %y) #0 {
entry:
  %lane = call i64 @__lockstep_lane()
  %length.at = getelementptr i64, ptr addrspace(1) %lengths, i64 %lane
  %length = load i64, ptr addrspace(1) %length.at
  %first = mul i64 %lane, 16
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %i = add i64 %first, %k
  %x.at = getelementptr float, ptr addrspace(1) %x, i64 %i
  %value = load float, ptr addrspace(1) %x.at
  %sum.next = fadd float %sum, %value
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, %length
  br i1 %more, label %loop, label %end
end:
  %y.at = getelementptr float, ptr addrspace(1) %y, i64 %lane
  store float %sum.next, ptr addrspace(1) %y.at
  ret void
}

; CHECK-LABEL: define void @one_length(
; CHECK-NOT: @serial.loop
; CHECK: ret void
define void @one_length(i64 %length, ptr addrspace(1) %x, ptr addrspace(1) %y) #0 {
entry:
  %lane = call i64 @__lockstep_lane()
  %first = mul i64 %lane, 16
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %i = add i64 %first, %k
  %x.at = getelementptr float, ptr addrspace(1) %x, i64 %i
  %value = load float, ptr addrspace(1) %x.at
  %sum.next = fadd float %sum, %value
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, %length
  br i1 %more, label %loop, label %end
end:
  %y.at = getelementptr float, ptr addrspace(1) %y, i64 %lane
  store float %sum.next, ptr addrspace(1) %y.at
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)

attributes #0 = { "lockstep-sub-group-size"="16" }
