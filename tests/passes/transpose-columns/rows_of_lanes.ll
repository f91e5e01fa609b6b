; RUN: lockstep-opt -passes=transpose-columns %s 2>&1 | FileCheck %s
; Each lane walks along a row of its own: in four rounds at once a row is one load for each of four lanes, and eight shuffles
; turn the tile. What is left of the rounds gathers.

; CHECK: lanes: rows of 4 elements by 4 are accessed as such and transposed in registers

; CHECK-LABEL: @sums
; CHECK: %[[P:.*]] = extractelement <4 x ptr addrspace(1)> %place{{.*}}, i64 0
; CHECK: load <4 x float>, ptr addrspace(1) %[[P]], align 4
; CHECK-COUNT-3: load <4 x float>
; CHECK-NOT: gather
; CHECK: %[[A:.*]] = shufflevector <4 x float> %{{.*}}, <4 x float> %{{.*}}, <4 x i32> <i32 0, i32 2, i32 4, i32 6>
; CHECK-COUNT-7: shufflevector
; CHECK-NOT: shufflevector
; CHECK-COUNT-4: fadd <4 x float>
; CHECK: br i1
; CHECK: call <4 x float> @llvm.masked.gather
; CHECK: fadd <4 x float>
; CHECK: ret <4 x float>
define <4 x float> @sums(<4 x ptr addrspace(1)> %rows, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <4 x float> [ zeroinitializer, %entry ], [ %sum.next, %loop ]
  %place = getelementptr float, <4 x ptr addrspace(1)> %rows, i64 %i
  %value = call <4 x float> @llvm.masked.gather.v4f32.v4p1(<4 x ptr addrspace(1)> align 4 %place, <4 x i1> splat (i1 true), <4 x float> poison)
  %sum.next = fadd <4 x float> %sum, %value
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop
end:
  ret <4 x float> %sum.next
}

; As many rounds as there are lanes: nothing is left, neither gathers nor a loop.
; CHECK-LABEL: @once
; CHECK-COUNT-4: load <4 x i32>
; CHECK-NOT: gather
; CHECK: ret <4 x i32>
define <4 x i32> @once(<4 x i64> %rows, ptr addrspace(1) %from) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <4 x i32> [ zeroinitializer, %entry ], [ %sum.next, %loop ]
  %one = insertelement <4 x i64> poison, i64 %i, i64 0
  %all = shufflevector <4 x i64> %one, <4 x i64> poison, <4 x i32> zeroinitializer
  %index = add <4 x i64> %rows, %all
  %place = getelementptr i32, ptr addrspace(1) %from, <4 x i64> %index
  %value = call <4 x i32> @llvm.masked.gather.v4i32.v4p1(<4 x ptr addrspace(1)> align 4 %place, <4 x i1> splat (i1 true), <4 x i32> poison)
  %sum.next = add <4 x i32> %sum, %value
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, 4
  br i1 %done, label %end, label %loop
end:
  ret <4 x i32> %sum.next
}

declare <4 x float> @llvm.masked.gather.v4f32.v4p1(<4 x ptr addrspace(1)>, <4 x i1>, <4 x float>)
declare <4 x i32> @llvm.masked.gather.v4i32.v4p1(<4 x ptr addrspace(1)>, <4 x i1>, <4 x i32>)
