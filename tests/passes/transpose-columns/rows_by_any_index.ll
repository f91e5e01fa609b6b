; RUN: lockstep-opt -passes=transpose-columns %s 2>&1 | FileCheck %s
; Rows in many spellings of one index: four rounds at once, each lane's row is one load.

; CHECK-COUNT-6: lanes: rows of 4 elements by 4 are accessed as such and transposed in registers

; An int that may wrap: it is compared with the largest one.
; CHECK-LABEL: @int
; CHECK: [[ROWS:%.*]] = sext <4 x i32> %rows to <4 x i64>
; CHECK: [[ENDS:%.*]] = add <4 x i64> [[ROWS]],
; CHECK: icmp sgt <4 x i64> [[ENDS]], splat (i64 2147483647)
; CHECK: br i1
; CHECK-COUNT-4: load <4 x float>
; CHECK: ret
define <4 x float> @int(<4 x i32> %rows, ptr addrspace(1) %from, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <4 x float> [ zeroinitializer, %entry ], [ %sum.next, %loop ]
  %one = insertelement <4 x i32> poison, i32 %i, i64 0
  %all = shufflevector <4 x i32> %one, <4 x i32> poison, <4 x i32> zeroinitializer
  %index = add <4 x i32> %rows, %all
  %wide = sext <4 x i32> %index to <4 x i64>
  %place = getelementptr float, ptr addrspace(1) %from, <4 x i64> %wide
  %value = call <4 x float> @llvm.masked.gather.v4f32.v4p1(<4 x ptr addrspace(1)> align 4 %place, <4 x i1> splat (i1 true), <4 x float> poison)
  %sum.next = fadd <4 x float> %sum, %value
  %next = add nsw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %end, label %loop
end:
  ret <4 x float> %sum.next
}

; Nothing to compare.
; CHECK-LABEL: @int_that_does_not_wrap
; CHECK-NOT: icmp sgt
; CHECK-COUNT-4: load <4 x float>
; CHECK: ret
define <4 x float> @int_that_does_not_wrap(<4 x i32> %rows, ptr addrspace(1) %from, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <4 x float> [ zeroinitializer, %entry ], [ %sum.next, %loop ]
  %one = insertelement <4 x i32> poison, i32 %i, i64 0
  %all = shufflevector <4 x i32> %one, <4 x i32> poison, <4 x i32> zeroinitializer
  %index = add nsw <4 x i32> %all, %rows
  %wide = sext <4 x i32> %index to <4 x i64>
  %place = getelementptr float, ptr addrspace(1) %from, <4 x i64> %wide
  %value = call <4 x float> @llvm.masked.gather.v4f32.v4p1(<4 x ptr addrspace(1)> align 4 %place, <4 x i1> splat (i1 true), <4 x float> poison)
  %sum.next = fadd <4 x float> %sum, %value
  %next = add nuw nsw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %end, label %loop
end:
  ret <4 x float> %sum.next
}

; Two sums in one.
; CHECK-LABEL: @uint_with_a_constant
; CHECK: icmp sgt <4 x i64> %{{.*}}, splat (i64 4294967295)
; CHECK-COUNT-4: load <4 x float>
; CHECK: ret
define <4 x float> @uint_with_a_constant(<4 x i32> %rows, ptr addrspace(1) %from, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <4 x float> [ zeroinitializer, %entry ], [ %sum.next, %loop ]
  %one = insertelement <4 x i32> poison, i32 %i, i64 0
  %all = shufflevector <4 x i32> %one, <4 x i32> poison, <4 x i32> zeroinitializer
  %beside = add <4 x i32> %all, splat (i32 3)
  %index = add <4 x i32> %beside, %rows
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

; The address of a byte.
; CHECK-LABEL: @bytes
; CHECK-NOT: icmp sgt
; CHECK-COUNT-4: load <4 x float>
; CHECK: ret
define <4 x float> @bytes(<4 x i64> %rows, ptr addrspace(1) %from, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <4 x float> [ zeroinitializer, %entry ], [ %sum.next, %loop ]
  %byte = shl i64 %i, 2
  %one = insertelement <4 x i64> poison, i64 %byte, i64 0
  %all = shufflevector <4 x i64> %one, <4 x i64> poison, <4 x i32> zeroinitializer
  %index = add <4 x i64> %rows, %all
  %place = getelementptr i8, ptr addrspace(1) %from, <4 x i64> %index
  %value = call <4 x float> @llvm.masked.gather.v4f32.v4p1(<4 x ptr addrspace(1)> align 4 %place, <4 x i1> splat (i1 true), <4 x float> poison)
  %sum.next = fadd <4 x float> %sum, %value
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop
end:
  ret <4 x float> %sum.next
}

; A counter that is subtracted, and rows of known length.
; CHECK-LABEL: @backwards_twice
; CHECK-NOT: icmp sgt
; CHECK-COUNT-4: load <4 x float>
; CHECK: ret
define <4 x float> @backwards_twice(i64 %first, ptr addrspace(1) %from, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <4 x float> [ zeroinitializer, %entry ], [ %sum.next, %loop ]
  %left = sub i64 %first, %i
  %back = sub i64 9, %left
  %one = insertelement <4 x i64> poison, i64 %back, i64 0
  %all = shufflevector <4 x i64> %one, <4 x i64> poison, <4 x i32> zeroinitializer
  %index = add <4 x i64> %all, <i64 0, i64 100, i64 200, i64 300>
  %place = getelementptr float, ptr addrspace(1) %from, <4 x i64> %index
  %value = call <4 x float> @llvm.masked.gather.v4f32.v4p1(<4 x ptr addrspace(1)> align 4 %place, <4 x i1> splat (i1 true), <4 x float> poison)
  %sum.next = fadd <4 x float> %sum, %value
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop
end:
  ret <4 x float> %sum.next
}

; A round reads by a size_t and writes by an uint.
; CHECK-LABEL: @two_counters
; CHECK: ptrtoint
; CHECK: icmp ult <4 x i64> %{{.*}}, splat (i64 15)
; CHECK: br i1
; CHECK-COUNT-4: load <4 x float>
; CHECK-COUNT-4: store <4 x float>
; CHECK: ret
define void @two_counters(<4 x ptr addrspace(1)> %rows, <4 x ptr addrspace(1)> %to, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %k = phi i32 [ 5, %entry ], [ %k.next, %loop ]
  %place = getelementptr float, <4 x ptr addrspace(1)> %rows, i64 %i
  %value = call <4 x float> @llvm.masked.gather.v4f32.v4p1(<4 x ptr addrspace(1)> align 4 %place, <4 x i1> splat (i1 true), <4 x float> poison)
  %wide = zext i32 %k to i64
  %there = getelementptr float, <4 x ptr addrspace(1)> %to, i64 %wide
  call void @llvm.masked.scatter.v4f32.v4p1(<4 x float> %value, <4 x ptr addrspace(1)> align 4 %there, <4 x i1> splat (i1 true))
  %next = add nuw nsw i64 %i, 1
  %k.next = add nuw nsw i32 %k, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop
end:
  ret void
}

declare <4 x float> @llvm.masked.gather.v4f32.v4p1(<4 x ptr addrspace(1)>, <4 x i1>, <4 x float>)
declare void @llvm.masked.scatter.v4f32.v4p1(<4 x float>, <4 x ptr addrspace(1)>, <4 x i1>)
