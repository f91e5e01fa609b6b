; RUN: lockstep-opt -passes=transpose-columns %s 2>/dev/null | FileCheck %s
; Without a loop, consecutive elements of rows are loaded and stored as rows, too.

; The rows are loaded at the first of the gathers, which is not the first element of the rows.
; CHECK-LABEL: @gathers
; CHECK: getelementptr i8, <4 x ptr addrspace(1)> %at.1, i64 -4
; CHECK-COUNT-4: load <4 x float>
; CHECK-NOT: gather
; CHECK: ret
define <4 x float> @gathers(<4 x ptr addrspace(1)> %rows) {
  %at.1 = getelementptr float, <4 x ptr addrspace(1)> %rows, i64 1
  %value.1 = call <4 x float> @llvm.masked.gather.v4f32.v4p1(<4 x ptr addrspace(1)> align 4 %at.1, <4 x i1> splat (i1 true), <4 x float> poison)
  %value.0 = call <4 x float> @llvm.masked.gather.v4f32.v4p1(<4 x ptr addrspace(1)> align 4 %rows, <4 x i1> splat (i1 true), <4 x float> poison)
  %sum.1 = fsub <4 x float> %value.1, %value.0
  %at.2 = getelementptr float, <4 x ptr addrspace(1)> %rows, i64 2
  %value.2 = call <4 x float> @llvm.masked.gather.v4f32.v4p1(<4 x ptr addrspace(1)> align 4 %at.2, <4 x i1> splat (i1 true), <4 x float> poison)
  %sum.2 = fsub <4 x float> %sum.1, %value.2
  %at.3 = getelementptr float, <4 x ptr addrspace(1)> %rows, i64 3
  %value.3 = call <4 x float> @llvm.masked.gather.v4f32.v4p1(<4 x ptr addrspace(1)> align 4 %at.3, <4 x i1> splat (i1 true), <4 x float> poison)
  %sum.3 = fsub <4 x float> %sum.2, %value.3
  ret <4 x float> %sum.3
}

; Loads of private memory do not see what is stored to global memory. Rows are stored at the last of the scatters.
; CHECK-LABEL: @scatters
; CHECK-NOT: scatter
; CHECK: %value.3 = load
; CHECK-COUNT-4: store <4 x i32>
; CHECK-NEXT: ret
define void @scatters(<4 x ptr addrspace(1)> %rows, ptr %own) {
  %value.0 = load <4 x i32>, ptr %own
  call void @llvm.masked.scatter.v4i32.v4p1(<4 x i32> %value.0, <4 x ptr addrspace(1)> align 4 %rows, <4 x i1> splat (i1 true))
  %at.1 = getelementptr i32, <4 x ptr addrspace(1)> %rows, i64 1
  call void @llvm.masked.scatter.v4i32.v4p1(<4 x i32> zeroinitializer, <4 x ptr addrspace(1)> align 4 %at.1, <4 x i1> splat (i1 true))
  %at.2 = getelementptr i32, <4 x ptr addrspace(1)> %rows, i64 2
  call void @llvm.masked.scatter.v4i32.v4p1(<4 x i32> zeroinitializer, <4 x ptr addrspace(1)> align 4 %at.2, <4 x i1> splat (i1 true))
  %own.3 = getelementptr i8, ptr %own, i64 16
  %value.3 = load <4 x i32>, ptr %own.3
  %at.3 = getelementptr i32, <4 x ptr addrspace(1)> %rows, i64 3
  call void @llvm.masked.scatter.v4i32.v4p1(<4 x i32> %value.3, <4 x ptr addrspace(1)> align 4 %at.3, <4 x i1> splat (i1 true))
  ret void
}

; A store may change what is gathered after it.
; CHECK-LABEL: @stores_between
; CHECK-COUNT-4: @llvm.masked.gather
; CHECK: ret
define <4 x float> @stores_between(<4 x ptr addrspace(1)> %rows, ptr addrspace(1) %one) {
  %value.0 = call <4 x float> @llvm.masked.gather.v4f32.v4p1(<4 x ptr addrspace(1)> align 4 %rows, <4 x i1> splat (i1 true), <4 x float> poison)
  %at.1 = getelementptr float, <4 x ptr addrspace(1)> %rows, i64 1
  %value.1 = call <4 x float> @llvm.masked.gather.v4f32.v4p1(<4 x ptr addrspace(1)> align 4 %at.1, <4 x i1> splat (i1 true), <4 x float> poison)
  %sum.1 = fsub <4 x float> %value.1, %value.0
  store float 1.0, ptr addrspace(1) %one
  %at.2 = getelementptr float, <4 x ptr addrspace(1)> %rows, i64 2
  %value.2 = call <4 x float> @llvm.masked.gather.v4f32.v4p1(<4 x ptr addrspace(1)> align 4 %at.2, <4 x i1> splat (i1 true), <4 x float> poison)
  %sum.2 = fsub <4 x float> %sum.1, %value.2
  %at.3 = getelementptr float, <4 x ptr addrspace(1)> %rows, i64 3
  %value.3 = call <4 x float> @llvm.masked.gather.v4f32.v4p1(<4 x ptr addrspace(1)> align 4 %at.3, <4 x i1> splat (i1 true), <4 x float> poison)
  %sum.3 = fsub <4 x float> %sum.2, %value.3
  ret <4 x float> %sum.3
}

; The second element is stored twice, and the last one of the other rows may be one of these.
; CHECK-LABEL: @stored_again
; CHECK-COUNT-6: @llvm.masked.scatter
; CHECK: ret
define void @stored_again(<4 x ptr addrspace(1)> %rows, <4 x ptr addrspace(1)> %others, <4 x i32> %value) {
  call void @llvm.masked.scatter.v4i32.v4p1(<4 x i32> %value, <4 x ptr addrspace(1)> align 4 %rows, <4 x i1> splat (i1 true))
  %at.1 = getelementptr i32, <4 x ptr addrspace(1)> %rows, i64 1
  call void @llvm.masked.scatter.v4i32.v4p1(<4 x i32> %value, <4 x ptr addrspace(1)> align 4 %at.1, <4 x i1> splat (i1 true))
  call void @llvm.masked.scatter.v4i32.v4p1(<4 x i32> zeroinitializer, <4 x ptr addrspace(1)> align 4 %at.1, <4 x i1> splat (i1 true))
  %at.2 = getelementptr i32, <4 x ptr addrspace(1)> %rows, i64 2
  call void @llvm.masked.scatter.v4i32.v4p1(<4 x i32> %value, <4 x ptr addrspace(1)> align 4 %at.2, <4 x i1> splat (i1 true))
  call void @llvm.masked.scatter.v4i32.v4p1(<4 x i32> zeroinitializer, <4 x ptr addrspace(1)> align 4 %others, <4 x i1> splat (i1 true))
  %at.3 = getelementptr i32, <4 x ptr addrspace(1)> %rows, i64 3
  call void @llvm.masked.scatter.v4i32.v4p1(<4 x i32> %value, <4 x ptr addrspace(1)> align 4 %at.3, <4 x i1> splat (i1 true))
  ret void
}

declare <4 x float> @llvm.masked.gather.v4f32.v4p1(<4 x ptr addrspace(1)>, <4 x i1>, <4 x float>)
declare void @llvm.masked.scatter.v4i32.v4p1(<4 x i32>, <4 x ptr addrspace(1)>, <4 x i1>)
