; RUN: lockstep-opt -nvidia=sm_90 -passes=keep-guarded-loops %s | FileCheck %s
; Loops without a barrier, without a guard, or with less work behind it may be unrolled.
declare void @__lockstep_barrier(i32)

; CHECK-NOT: llvm.loop
define void @without_barrier(ptr addrspace(3) %a, ptr addrspace(3) %b, i64 %me) {
entry:
  br label %loop
loop:
  %n = phi i64 [ 1, %entry ], [ %twice, %latch ]
  %works = icmp ult i64 %me, %n
  br i1 %works, label %swap, label %latch
swap:
  %x = load i32, ptr addrspace(3) %a
  %y = load i32, ptr addrspace(3) %b
  store i32 %y, ptr addrspace(3) %a
  store i32 %x, ptr addrspace(3) %b
  br label %latch
latch:
  %twice = shl i64 %n, 1
  %goes_on = icmp ult i64 %twice, 512
  br i1 %goes_on, label %loop, label %end
end:
  ret void
}
define void @without_guard(ptr addrspace(3) %a, ptr addrspace(3) %b) {
entry:
  br label %loop
loop:
  %n = phi i64 [ 1, %entry ], [ %twice, %loop ]
  call void @__lockstep_barrier(i32 1)
  %x = load i32, ptr addrspace(3) %a
  %y = load i32, ptr addrspace(3) %b
  store i32 %y, ptr addrspace(3) %a
  store i32 %x, ptr addrspace(3) %b
  %twice = shl i64 %n, 1
  %goes_on = icmp ult i64 %twice, 512
  br i1 %goes_on, label %loop, label %end
end:
  ret void
}
define void @adds(ptr addrspace(3) %a, ptr addrspace(3) %b, i64 %me) {
entry:
  br label %loop
loop:
  %n = phi i64 [ 1, %entry ], [ %twice, %latch ]
  call void @__lockstep_barrier(i32 1)
  %works = icmp ult i64 %me, %n
  br i1 %works, label %add, label %latch
add:
  %x = load i32, ptr addrspace(3) %a
  %y = load i32, ptr addrspace(3) %b
  %sum = add i32 %x, %y
  store i32 %sum, ptr addrspace(3) %a
  br label %latch
latch:
  %twice = shl i64 %n, 1
  %goes_on = icmp ult i64 %twice, 512
  br i1 %goes_on, label %loop, label %end
end:
  ret void
}
