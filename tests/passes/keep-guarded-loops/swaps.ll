; RUN: lockstep-opt -nvidia=sm_90 -passes=keep-guarded-loops %s | FileCheck %s
; A loop with a barrier and a guarded exchange of two values in local memory is not unrolled.
declare void @__lockstep_barrier(i32)

; CHECK-LABEL: @swaps(
; CHECK: br label %loop, !llvm.loop [[ROLLED:!.*]]
define void @swaps(ptr addrspace(3) %a, ptr addrspace(3) %b, i64 %me) {
entry:
  br label %loop
loop:
  %n = phi i64 [ 1, %entry ], [ %twice, %latch ]
  %goes_on = icmp ult i64 %n, 512
  br i1 %goes_on, label %body, label %end
body:
  call void @__lockstep_barrier(i32 1)
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
  br label %loop
end:
  ret void
}
; CHECK: [[ROLLED]] = distinct !{[[ROLLED]], [[DISABLE:!.*]]}
; CHECK: [[DISABLE]] = !{!"llvm.loop.unroll.disable", i32 1}
