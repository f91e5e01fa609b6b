; RUN: lockstep-opt -nvidia=sm_90 -passes=choose-unroll-count %s | FileCheck %s
; Eight copies, also if the lanes access different addresses of global memory. Loops with barriers and marked loops stay.

; CHECK-LABEL: @local_memory(
; CHECK: br i1 {{.*}}, !llvm.loop [[EIGHT:![0-9]+]]
define float @local_memory(ptr addrspace(3) %p, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %place = getelementptr float, ptr addrspace(3) %p, i32 %i
  %value = load float, ptr addrspace(3) %place
  %more = fadd float %sum, %value
  %next = add i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %end, label %loop
end:
  ret float %more
}
; CHECK-LABEL: @global_memory(
; CHECK: br i1 {{.*}}, !llvm.loop [[SPREAD:![0-9]+]]
define ptx_kernel void @global_memory(ptr addrspace(1) %p, i32 %n) {
entry:
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %own = getelementptr float, ptr addrspace(1) %p, i32 %lane
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %place = getelementptr float, ptr addrspace(1) %own, i32 %i
  %value = load float, ptr addrspace(1) %place
  %more = fadd float %sum, %value
  %next = add i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %end, label %loop
end:
  store float %more, ptr addrspace(1) %p
  ret void
}
; CHECK-LABEL: @same_address(
; CHECK: br i1 {{.*}}, !llvm.loop [[SAME:![0-9]+]]
define ptx_kernel void @same_address(ptr addrspace(1) %p, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %place = getelementptr float, ptr addrspace(1) %p, i32 %i
  %value = load float, ptr addrspace(1) %place
  %more = fadd float %sum, %value
  %next = add i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %end, label %loop
end:
  store float %more, ptr addrspace(1) %p
  ret void
}
; CHECK-LABEL: @barrier(
; CHECK: br i1 %done, label %end, label %loop{{$}}
define void @barrier(i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %end, label %loop
end:
  ret void
}
; CHECK-LABEL: @marked(
; CHECK: br i1 {{.*}}, !llvm.loop [[MARKED:![0-9]+]]
define void @marked(ptr addrspace(3) %p, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr i32, ptr addrspace(3) %p, i32 %i
  store i32 %i, ptr addrspace(3) %place
  %next = add i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %end, label %loop, !llvm.loop !0
end:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
; CHECK-DAG: [[EIGHT]] = distinct !{[[EIGHT]], [[COUNT8:![0-9]+]]}
; CHECK-DAG: [[COUNT8]] = !{!"llvm.loop.unroll.count", i32 8}
; CHECK-DAG: [[SPREAD]] = distinct !{[[SPREAD]], [[COUNT8]]}
; CHECK-DAG: [[SAME]] = distinct !{[[SAME]], [[COUNT8]]}
; CHECK-DAG: [[MARKED]] = distinct !{[[MARKED]], [[DISABLE:![0-9]+]]}
; CHECK-DAG: [[DISABLE]] = !{!"llvm.loop.unroll.disable"}
