; RUN: lockstep-opt -passes='drop-unroll-hints' %s | FileCheck %s

declare void @__lockstep_barrier(i32) #0

; CHECK-LABEL: @plain(
; CHECK: br i1 %more, label %loop, label %end, !llvm.loop [[PLAIN:![0-9]+]]
define void @plain(ptr addrspace(1) %to) {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %at = getelementptr i64, ptr addrspace(1) %to, i64 %k
  store i64 %k, ptr addrspace(1) %at
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

; The number of iterations is not known: LLVM would copy some of them at the end, when lanes are made.
; CHECK-LABEL: @of_any_length(
; CHECK: br i1 %more, label %loop, label %end, !llvm.loop [[COUNT:![0-9]+]]
define void @of_any_length(ptr addrspace(1) %to, i64 %n) {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %at = getelementptr i64, ptr addrspace(1) %to, i64 %k
  store i64 %k, ptr addrspace(1) %at
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !3
end:
  ret void
}

; CHECK-LABEL: @private_array(
; CHECK: br i1 %more, label %loop, label %end, !llvm.loop [[FULL:![0-9]+]]
define void @private_array(ptr addrspace(1) %to) {
entry:
  %array = alloca [64 x i64]
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %at = getelementptr i64, ptr %array, i64 %k
  store i64 %k, ptr %at
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !5
end:
  ret void
}

; CHECK-LABEL: @barriers(
; CHECK: br i1 %more, label %loop, label %end, !llvm.loop [[BARRIERS:![0-9]+]]
define void @barriers() {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  call void @__lockstep_barrier(i32 1)
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, 64
  br i1 %more, label %loop, label %end, !llvm.loop !6
end:
  ret void
}

attributes #0 = { convergent nounwind }

; CHECK-DAG: [[PLAIN]] = distinct !{[[PLAIN]], [[PROGRESS:![0-9]+]]}
; CHECK-DAG: [[PROGRESS]] = !{!"llvm.loop.mustprogress"}
; CHECK-DAG: [[COUNT]] = distinct !{[[COUNT]], [[FOUR:![0-9]+]]}
; CHECK-DAG: [[FOUR]] = !{!"llvm.loop.unroll.count", i32 4}
; CHECK-DAG: [[FULL]] = distinct !{[[FULL]], [[ENABLE:![0-9]+]]}
; CHECK-DAG: [[BARRIERS]] = distinct !{[[BARRIERS]], [[ENABLE]]}
; CHECK-DAG: [[ENABLE]] = !{!"llvm.loop.unroll.enable"}
!0 = distinct !{!0, !1, !2}
!1 = !{!"llvm.loop.mustprogress"}
!2 = !{!"llvm.loop.unroll.enable"}
!3 = distinct !{!3, !4}
!4 = !{!"llvm.loop.unroll.count", i32 4}
!5 = distinct !{!5, !2}
!6 = distinct !{!6, !2}
