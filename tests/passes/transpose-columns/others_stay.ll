; RUN: lockstep-opt -passes=transpose-columns %s 2>&1 | FileCheck %s --implicit-check-not='load <4' --implicit-check-not='transposed in registers'
; What stays a gather in each round, and the loop as it is.

; Rounds that are two elements apart.
; CHECK-LABEL: @every_second
; CHECK: gather
; CHECK-NOT: gather
define <4 x float> @every_second(<4 x ptr addrspace(1)> %rows, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <4 x float> [ zeroinitializer, %entry ], [ %sum.next, %loop ]
  %place = getelementptr float, <4 x ptr addrspace(1)> %rows, i64 %i
  %value = call <4 x float> @llvm.masked.gather.v4f32.v4p1(<4 x ptr addrspace(1)> align 4 %place, <4 x i1> splat (i1 true), <4 x float> poison)
  %sum.next = fadd <4 x float> %sum, %value
  %next = add nuw nsw i64 %i, 2
  %done = icmp uge i64 %next, %n
  br i1 %done, label %end, label %loop
end:
  ret <4 x float> %sum.next
}

; Not all lanes.
; CHECK-LABEL: @some
; CHECK: gather
; CHECK-NOT: gather
define <4 x float> @some(<4 x ptr addrspace(1)> %rows, i64 %n, <4 x i1> %mask) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <4 x float> [ zeroinitializer, %entry ], [ %sum.next, %loop ]
  %place = getelementptr float, <4 x ptr addrspace(1)> %rows, i64 %i
  %value = call <4 x float> @llvm.masked.gather.v4f32.v4p1(<4 x ptr addrspace(1)> align 4 %place, <4 x i1> %mask, <4 x float> zeroinitializer)
  %sum.next = fadd <4 x float> %sum, %value
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop
end:
  ret <4 x float> %sum.next
}

; A round that writes, and reads at a place that is not known to be in its own row.
; CHECK-LABEL: @writes
; CHECK: gather
; CHECK: scatter
; CHECK-NOT: gather
define void @writes(<4 x ptr addrspace(1)> %rows, ptr addrspace(1) %other, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr float, <4 x ptr addrspace(1)> %rows, i64 %i
  %value = call <4 x float> @llvm.masked.gather.v4f32.v4p1(<4 x ptr addrspace(1)> align 4 %place, <4 x i1> splat (i1 true), <4 x float> poison)
  %at = getelementptr float, ptr addrspace(1) %other, i64 %i
  %factor = load float, ptr addrspace(1) %at
  %one = insertelement <4 x float> poison, float %factor, i64 0
  %all = shufflevector <4 x float> %one, <4 x float> poison, <4 x i32> zeroinitializer
  %product = fmul <4 x float> %value, %all
  call void @llvm.masked.scatter.v4f32.v4p1(<4 x float> %product, <4 x ptr addrspace(1)> align 4 %place, <4 x i1> splat (i1 true))
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop
end:
  ret void
}

; What has just been written is read.
; CHECK-LABEL: @reads_again
; CHECK: scatter
; CHECK: gather
; CHECK-NOT: gather
define <4 x float> @reads_again(<4 x ptr addrspace(1)> %rows, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <4 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
  %place = getelementptr float, <4 x ptr addrspace(1)> %rows, i64 %i
  call void @llvm.masked.scatter.v4f32.v4p1(<4 x float> %sum, <4 x ptr addrspace(1)> align 4 %place, <4 x i1> splat (i1 true))
  %value = call <4 x float> @llvm.masked.gather.v4f32.v4p1(<4 x ptr addrspace(1)> align 4 %place, <4 x i1> splat (i1 true), <4 x float> poison)
  %more = fadd <4 x float> %sum, %value
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop
end:
  ret <4 x float> %more
}

; Rows that are written in the other direction.
; CHECK-LABEL: @reversed
; CHECK: gather
; CHECK: scatter
; CHECK-NOT: gather
define void @reversed(<4 x ptr addrspace(1)> %rows, <4 x ptr addrspace(1)> %to, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr float, <4 x ptr addrspace(1)> %rows, i64 %i
  %value = call <4 x float> @llvm.masked.gather.v4f32.v4p1(<4 x ptr addrspace(1)> align 4 %place, <4 x i1> splat (i1 true), <4 x float> poison)
  %back = sub i64 0, %i
  %there = getelementptr float, <4 x ptr addrspace(1)> %to, i64 %back
  call void @llvm.masked.scatter.v4f32.v4p1(<4 x float> %value, <4 x ptr addrspace(1)> align 4 %there, <4 x i1> splat (i1 true))
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop
end:
  ret void
}

; Fewer rounds than elements of a row.
; CHECK-LABEL: @few
; CHECK: gather
; CHECK-NOT: gather
; CHECK: ret
define <4 x float> @few(<4 x ptr addrspace(1)> %rows) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <4 x float> [ zeroinitializer, %entry ], [ %sum.next, %loop ]
  %place = getelementptr float, <4 x ptr addrspace(1)> %rows, i64 %i
  %value = call <4 x float> @llvm.masked.gather.v4f32.v4p1(<4 x ptr addrspace(1)> align 4 %place, <4 x i1> splat (i1 true), <4 x float> poison)
  %sum.next = fadd <4 x float> %sum, %value
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, 3
  br i1 %done, label %end, label %loop
end:
  ret <4 x float> %sum.next
}

declare <4 x float> @llvm.masked.gather.v4f32.v4p1(<4 x ptr addrspace(1)>, <4 x i1>, <4 x float>)
declare void @llvm.masked.scatter.v4f32.v4p1(<4 x float>, <4 x ptr addrspace(1)>, <4 x i1>)

; Two halves of an element in each round, by an index that may wrap.
; CHECK-LABEL: @halves
; CHECK: gather
; CHECK-NOT: gather
; CHECK: ret
define <4 x float> @halves(<4 x i32> %rows, ptr addrspace(1) %from, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <4 x float> [ zeroinitializer, %entry ], [ %sum.next, %loop ]
  %one = insertelement <4 x i32> poison, i32 %i, i64 0
  %all = shufflevector <4 x i32> %one, <4 x i32> poison, <4 x i32> zeroinitializer
  %index = add <4 x i32> %rows, %all
  %wide = zext <4 x i32> %index to <4 x i64>
  %place = getelementptr i16, ptr addrspace(1) %from, <4 x i64> %wide
  %value = call <4 x float> @llvm.masked.gather.v4f32.v4p1(<4 x ptr addrspace(1)> align 4 %place, <4 x i1> splat (i1 true), <4 x float> poison)
  %sum.next = fadd <4 x float> %sum, %value
  %next = add nuw i32 %i, 2
  %done = icmp uge i32 %next, %n
  br i1 %done, label %end, label %loop
end:
  ret <4 x float> %sum.next
}
