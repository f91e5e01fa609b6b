; RUN: lockstep-opt -passes=interleave-sub-groups %s 2>&1 | FileCheck %s
; One tile in many spellings: `int`, `uint` and `size_t` indices, rows before columns, bytes, and the constant in any place.

; CHECK-COUNT-10: sub-groups: tiles of 4 by 4 elements are transposed in registers: no gather, no scatter

; CHECK-LABEL: @int
; CHECK-NOT: scatter
; CHECK: ret void
define void @int(<4 x i32> %columns, <4 x float> %value, ptr addrspace(1) %to) #0 {
  %y = call range(i64 0, 4) i64 @__lockstep_local_id(i32 1)
  %narrow = trunc i64 %y to i32
  %one = insertelement <4 x i32> poison, i32 %narrow, i64 0
  %all = shufflevector <4 x i32> %one, <4 x i32> poison, <4 x i32> zeroinitializer
  %index = add nsw <4 x i32> %columns, %all
  %wide = sext <4 x i32> %index to <4 x i64>
  %place = getelementptr float, ptr addrspace(1) %to, <4 x i64> %wide
  call void @llvm.masked.scatter.v4f32.v4p1(<4 x float> %value, <4 x ptr addrspace(1)> align 4 %place, <4 x i1> splat (i1 true))
  ret void
}

; CHECK-LABEL: @uint
; CHECK-NOT: scatter
; CHECK: ret void
define void @uint(<4 x i32> %columns, <4 x float> %value, ptr addrspace(1) %to) #0 {
  %y = call range(i64 0, 4) i64 @__lockstep_local_id(i32 1)
  %narrow = trunc nuw i64 %y to i32
  %next = add nuw i32 %narrow, 1
  %one = insertelement <4 x i32> poison, i32 %next, i64 0
  %all = shufflevector <4 x i32> %one, <4 x i32> poison, <4 x i32> zeroinitializer
  %index = add nuw <4 x i32> %all, %columns
  %wide = zext <4 x i32> %index to <4 x i64>
  %place = getelementptr float, ptr addrspace(1) %to, <4 x i64> %wide
  call void @llvm.masked.scatter.v4f32.v4p1(<4 x float> %value, <4 x ptr addrspace(1)> align 4 %place, <4 x i1> splat (i1 true))
  ret void
}

; The global id of an unknown range: no object is accessed on both sides of a wrap.
; CHECK-LABEL: @int_of_any_range
; CHECK-NOT: scatter
; CHECK: ret void
define void @int_of_any_range(i64 %first, i32 %n, <4 x i32> %x, <4 x float> %value, ptr addrspace(1) %to) #0 {
  %y = call range(i64 0, 4) i64 @__lockstep_local_id(i32 1)
  %id = add i64 %first, %y
  %narrow = trunc i64 %id to i32
  %one = insertelement <4 x i32> poison, i32 %narrow, i64 0
  %all = shufflevector <4 x i32> %one, <4 x i32> poison, <4 x i32> zeroinitializer
  %width = insertelement <4 x i32> poison, i32 %n, i64 0
  %widths = shufflevector <4 x i32> %width, <4 x i32> poison, <4 x i32> zeroinitializer
  %columns = mul nsw <4 x i32> %x, %widths
  %index = add nsw <4 x i32> %columns, %all
  %wide = sext <4 x i32> %index to <4 x i64>
  %place = getelementptr float, ptr addrspace(1) %to, <4 x i64> %wide
  call void @llvm.masked.scatter.v4f32.v4p1(<4 x float> %value, <4 x ptr addrspace(1)> align 4 %place, <4 x i1> splat (i1 true))
  ret void
}

; The id was frozen for a guard.
; CHECK-LABEL: @frozen
; CHECK-NOT: scatter
; CHECK: ret void
define void @frozen(i64 %first, <4 x i64> %columns, <4 x float> %value, ptr addrspace(1) %to) #0 {
  %y = call range(i64 0, 4) i64 @__lockstep_local_id(i32 1)
  %id = add nuw nsw i64 %first, %y
  %safe = freeze i64 %id
  %one = insertelement <4 x i64> poison, i64 %safe, i64 0
  %all = shufflevector <4 x i64> %one, <4 x i64> poison, <4 x i32> zeroinitializer
  %index = add <4 x i64> %columns, %all
  %place = getelementptr float, ptr addrspace(1) %to, <4 x i64> %index
  call void @llvm.masked.scatter.v4f32.v4p1(<4 x float> %value, <4 x ptr addrspace(1)> align 4 %place, <4 x i1> splat (i1 true))
  ret void
}

; CHECK-LABEL: @uint_that_may_wrap
; CHECK-NOT: scatter
; CHECK: ret void
define void @uint_that_may_wrap(i32 %first, <4 x i32> %columns, <4 x float> %value, ptr addrspace(1) %to) #0 {
  %y = call range(i64 0, 4) i64 @__lockstep_local_id(i32 1)
  %narrow = trunc i64 %y to i32
  %id = add i32 %first, %narrow
  %one = insertelement <4 x i32> poison, i32 %id, i64 0
  %all = shufflevector <4 x i32> %one, <4 x i32> poison, <4 x i32> zeroinitializer
  %index = add <4 x i32> %all, %columns
  %wide = zext <4 x i32> %index to <4 x i64>
  %place = getelementptr float, ptr addrspace(1) %to, <4 x i64> %wide
  call void @llvm.masked.scatter.v4f32.v4p1(<4 x float> %value, <4 x ptr addrspace(1)> align 4 %place, <4 x i1> splat (i1 true))
  ret void
}

; CHECK-LABEL: @rows_of_a_scalar
; CHECK-NOT: scatter
; CHECK: ret void
define void @rows_of_a_scalar(<4 x i64> %columns, <4 x float> %value, ptr addrspace(1) %to) #0 {
  %y = call range(i64 0, 4) i64 @__lockstep_local_id(i32 1)
  %narrow = trunc i64 %y to i32
  %below = add nsw i32 %narrow, -1
  %wide = sext i32 %below to i64
  %row = getelementptr float, ptr addrspace(1) %to, i64 %wide
  %place = getelementptr float, ptr addrspace(1) %row, <4 x i64> %columns
  call void @llvm.masked.scatter.v4f32.v4p1(<4 x float> %value, <4 x ptr addrspace(1)> align 4 %place, <4 x i1> splat (i1 true))
  ret void
}

; CHECK-LABEL: @bytes
; CHECK-NOT: scatter
; CHECK: ret void
define void @bytes(<4 x i64> %columns, <4 x float> %value, ptr addrspace(1) %to) #0 {
  %y = call range(i64 0, 4) i64 @__lockstep_local_id(i32 1)
  %byte = shl i64 %y, 2
  %rows = getelementptr float, ptr addrspace(1) %to, <4 x i64> %columns
  %place = getelementptr i8, <4 x ptr addrspace(1)> %rows, i64 %byte
  call void @llvm.masked.scatter.v4f32.v4p1(<4 x float> %value, <4 x ptr addrspace(1)> align 4 %place, <4 x i1> splat (i1 true))
  ret void
}

; CHECK-LABEL: @shifted_and_joined
; CHECK-NOT: scatter
; CHECK: ret void
define void @shifted_and_joined(<4 x i64> %rows, <4 x float> %value, ptr addrspace(1) %to) #0 {
  %y = call range(i64 0, 4) i64 @__lockstep_local_id(i32 1)
  %first = shl <4 x i64> %rows, splat (i64 2)
  %one = insertelement <4 x i64> poison, i64 %y, i64 0
  %all = shufflevector <4 x i64> %one, <4 x i64> poison, <4 x i32> zeroinitializer
  %index = or disjoint <4 x i64> %first, %all
  %place = getelementptr float, ptr addrspace(1) %to, <4 x i64> %index
  call void @llvm.masked.scatter.v4f32.v4p1(<4 x float> %value, <4 x ptr addrspace(1)> align 4 %place, <4 x i1> splat (i1 true))
  ret void
}

; Constant distances between the columns: the addresses of a matrix whose width is known.
; CHECK-LABEL: @known_width
; CHECK-NOT: scatter
; CHECK: ret void
define void @known_width(i64 %x, <4 x float> %value, ptr addrspace(1) %to) #0 {
  %y = call range(i64 0, 4) i64 @__lockstep_local_id(i32 1)
  %first = mul i64 %x, 100
  %sum = add i64 %first, %y
  %one = insertelement <4 x i64> poison, i64 %sum, i64 0
  %all = shufflevector <4 x i64> %one, <4 x i64> poison, <4 x i32> zeroinitializer
  %index = add <4 x i64> %all, <i64 0, i64 100, i64 200, i64 300>
  %place = getelementptr float, ptr addrspace(1) %to, <4 x i64> %index
  call void @llvm.masked.scatter.v4f32.v4p1(<4 x float> %value, <4 x ptr addrspace(1)> align 4 %place, <4 x i1> splat (i1 true))
  ret void
}

; The element of a structure, and a minus before the id that is taken back.
; CHECK-LABEL: @subtracted
; CHECK-NOT: scatter
; CHECK: ret void
define void @subtracted(<4 x i64> %columns, i64 %n, <4 x float> %value, ptr addrspace(1) %to) #0 {
  %y = call range(i64 0, 4) i64 @__lockstep_local_id(i32 1)
  %left = sub i64 %n, %y
  %back = sub i64 10, %left
  %rows = getelementptr float, ptr addrspace(1) %to, <4 x i64> %columns
  %place = getelementptr { [4 x float] }, <4 x ptr addrspace(1)> %rows, i64 0, i32 0, i64 %back
  call void @llvm.masked.scatter.v4f32.v4p1(<4 x float> %value, <4 x ptr addrspace(1)> align 4 %place, <4 x i1> splat (i1 true))
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)

attributes #0 = { "lockstep-sub-group-size"="4" "lockstep-local-size"="4,4,1" }
