; RUN: lockstep-opt -passes=transpose-columns %s 2>&1 | FileCheck %s
; What is asked before the loop: whether a round would write what a later one of those at once reads, and whether an index of
; 32 bits wraps. If so, the loop runs as it was.

; In each lane, 1 to 15 bytes behind.
; CHECK-LABEL: @copies
; CHECK: [[TO:%.*]] = ptrtoint <4 x ptr addrspace(1)> %to to <4 x i64>
; CHECK: [[FROM:%.*]] = ptrtoint <4 x ptr addrspace(1)> %rows to <4 x i64>
; CHECK: [[BEHIND:%.*]] = sub <4 x i64> [[TO]], [[FROM]]
; CHECK: [[LESS:%.*]] = sub <4 x i64> [[BEHIND]], splat (i64 1)
; CHECK: [[AHEAD:%.*]] = icmp ult <4 x i64> [[LESS]], splat (i64 15)
; CHECK: [[ANY:%.*]] = call i1 @llvm.vector.reduce.or.v4i1(<4 x i1> [[AHEAD]])
; CHECK: br i1 [[ANY]], label %[[SLOW:.*]], label %[[FAST:.*]]
; CHECK: load <4 x float>
; CHECK: store <4 x float>
; CHECK: {{^}}[[SLOW]]:
; CHECK: gather
; CHECK: scatter
define void @copies(<4 x ptr addrspace(1)> %rows, <4 x ptr addrspace(1)> %to, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr float, <4 x ptr addrspace(1)> %rows, i64 %i
  %value = call <4 x float> @llvm.masked.gather.v4f32.v4p1(<4 x ptr addrspace(1)> align 4 %place, <4 x i1> splat (i1 true), <4 x float> poison)
  %there = getelementptr float, <4 x ptr addrspace(1)> %to, i64 %i
  call void @llvm.masked.scatter.v4f32.v4p1(<4 x float> %value, <4 x ptr addrspace(1)> align 4 %there, <4 x i1> splat (i1 true))
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop
end:
  ret void
}

; A load behind the store: its own round's counts as well, three bytes before or less.
; CHECK-LABEL: @reads_again
; CHECK: [[LESS:%.*]] = sub <4 x i64> %{{.*}}, splat (i64 -3)
; CHECK: icmp ult <4 x i64> [[LESS]], splat (i64 19)
; CHECK: br i1
; CHECK: store <4 x float>
define <4 x float> @reads_again(<4 x ptr addrspace(1)> %rows, <4 x ptr addrspace(1)> %to, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <4 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
  %there = getelementptr float, <4 x ptr addrspace(1)> %to, i64 %i
  call void @llvm.masked.scatter.v4f32.v4p1(<4 x float> %sum, <4 x ptr addrspace(1)> align 4 %there, <4 x i1> splat (i1 true))
  %place = getelementptr float, <4 x ptr addrspace(1)> %rows, i64 %i
  %value = call <4 x float> @llvm.masked.gather.v4f32.v4p1(<4 x ptr addrspace(1)> align 4 %place, <4 x i1> splat (i1 true), <4 x float> poison)
  %more = fadd <4 x float> %sum, %value
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop
end:
  ret <4 x float> %more
}

; In place there is nothing to ask.
; CHECK-LABEL: @in_place
; CHECK-NOT: ptrtoint
; CHECK: load <4 x float>
; CHECK: store <4 x float>
define void @in_place(<4 x ptr addrspace(1)> %rows, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr float, <4 x ptr addrspace(1)> %rows, i64 %i
  %value = call <4 x float> @llvm.masked.gather.v4f32.v4p1(<4 x ptr addrspace(1)> align 4 %place, <4 x i1> splat (i1 true), <4 x float> poison)
  %twice = fadd <4 x float> %value, %value
  call void @llvm.masked.scatter.v4f32.v4p1(<4 x float> %twice, <4 x ptr addrspace(1)> align 4 %place, <4 x i1> splat (i1 true))
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop
end:
  ret void
}

; The last round's, in each lane.
; CHECK-LABEL: @narrow
; CHECK: [[LESS:%.*]] = add i32 %n, -1
; CHECK: [[MORE:%.*]] = zext i32 [[LESS]] to i64
; CHECK: [[ROWS:%.*]] = zext <4 x i32> %rows to <4 x i64>
; CHECK: [[ENDS:%.*]] = add <4 x i64> [[ROWS]],
; CHECK: [[BEYOND:%.*]] = icmp sgt <4 x i64> [[ENDS]], splat (i64 4294967295)
; CHECK: call i1 @llvm.vector.reduce.or.v4i1(<4 x i1> [[BEYOND]])
; CHECK: icmp ugt i64 [[MORE]], 4294967295
; CHECK: br i1 {{.*}}, label %[[SLOW:.*]], label %[[FAST:.*]]
; CHECK: load <4 x float>
; CHECK: {{^}}[[SLOW]]:
; CHECK: gather
define <4 x float> @narrow(<4 x i32> %rows, ptr addrspace(1) %from, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <4 x float> [ zeroinitializer, %entry ], [ %sum.next, %loop ]
  %one = insertelement <4 x i32> poison, i32 %i, i64 0
  %all = shufflevector <4 x i32> %one, <4 x i32> poison, <4 x i32> zeroinitializer
  %index = add <4 x i32> %rows, %all
  %wide = zext <4 x i32> %index to <4 x i64>
  %place = getelementptr float, ptr addrspace(1) %from, <4 x i64> %wide
  %value = call <4 x float> @llvm.masked.gather.v4f32.v4p1(<4 x ptr addrspace(1)> align 4 %place, <4 x i1> splat (i1 true), <4 x float> poison)
  %sum.next = fadd <4 x float> %sum, %value
  %next = add nuw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %end, label %loop
end:
  ret <4 x float> %sum.next
}

; However deep the narrow sum is.
; CHECK-LABEL: @narrow_within
; CHECK: [[ENDS:%.*]] = add <4 x i64>
; CHECK: icmp sgt <4 x i64> [[ENDS]], splat (i64 4294967295)
; CHECK: br i1
; CHECK: load <4 x float>
define <4 x float> @narrow_within(<4 x i64> %more, <4 x i32> %rows, ptr addrspace(1) %from, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <4 x float> [ zeroinitializer, %entry ], [ %sum.next, %loop ]
  %one = insertelement <4 x i32> poison, i32 %i, i64 0
  %all = shufflevector <4 x i32> %one, <4 x i32> poison, <4 x i32> zeroinitializer
  %index = add <4 x i32> %rows, %all
  %wide = zext <4 x i32> %index to <4 x i64>
  %further = add <4 x i64> %more, %wide
  %place = getelementptr float, ptr addrspace(1) %from, <4 x i64> %further
  %value = call <4 x float> @llvm.masked.gather.v4f32.v4p1(<4 x ptr addrspace(1)> align 4 %place, <4 x i1> splat (i1 true), <4 x float> poison)
  %sum.next = fadd <4 x float> %sum, %value
  %next = add nuw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %end, label %loop
end:
  ret <4 x float> %sum.next
}

declare <4 x float> @llvm.masked.gather.v4f32.v4p1(<4 x ptr addrspace(1)>, <4 x i1>, <4 x float>)
declare void @llvm.masked.scatter.v4f32.v4p1(<4 x float>, <4 x ptr addrspace(1)>, <4 x i1>)
