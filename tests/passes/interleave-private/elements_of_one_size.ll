; RUN: lockstep-opt -passes=interleave-private %s | FileCheck %s
; Element e of lane l lies at e * 4 + l. An address that gets away needs a copy for each lane in one piece.
; What was aligned like a vector is so no more.

; CHECK-LABEL: @kernel
; CHECK: %kept.of.lanes = alloca [32 x i8], {{.*}}!lockstep.sub.group.variable
; CHECK: %array.of.lanes = alloca [64 x i32], align 16, !lockstep.sub.group.variable
; CHECK: [[LANE:%lane]] = call i64 @__lockstep_lane()
; CHECK: [[COPY:%.*]] = mul i64 [[LANE]], 8
; CHECK: %kept{{.*}} = getelementptr i8, ptr %kept.of.lanes, i64 [[COPY]]
; CHECK: [[FIRST:%.*]] = mul i64 [[LANE]], 4
; CHECK: [[ARRAY:%array.*]] = getelementptr i8, ptr %array.of.lanes, i64 [[FIRST]]
; CHECK: [[OFFSET:%.*]] = mul i64 %index, 4
; CHECK: [[SCALED:%.*]] = mul i64 [[OFFSET]], 4
; CHECK: getelementptr i8, ptr [[ARRAY]], i64 [[SCALED]]
; CHECK: getelementptr i8, ptr [[ARRAY]], i64 32
; CHECK-NEXT: load i32, ptr {{.*}}, align 4
define void @kernel(i64 %index) "lockstep-sub-group-size"="4" {
  %array = alloca [16 x i32]
  %kept = alloca i64
  %place = getelementptr [16 x i32], ptr %array, i64 0, i64 %index
  store i32 1, ptr %place
  %of_a_vector = getelementptr [16 x i32], ptr %array, i64 0, i64 2
  %read = load i32, ptr %of_a_vector, align 8
  call void @use(ptr %kept)
  ret void
}

declare void @use(ptr)
