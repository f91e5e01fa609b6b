; RUN: env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes=choose-sub-group-size %s 2>/dev/null | FileCheck %s
; In groups of 20 by 20 work-items, 16 lanes of a[y * n + x] would be a gather. Where that counts, rows get 32 work-items, and
; those behind the 20th return.

; CHECK: @copy({{.*}} [[PADDED:#[0-9]+]]
; CHECK: %id = alloca i32
; CHECK: [[ID:%.*]] = call i64 @__lockstep_local_id(i32 0)
; CHECK-NEXT: [[IN:%.*]] = icmp ult i64 [[ID]], 20
; CHECK-NEXT: br i1 [[IN]], label %[[BODY:.*]], label %[[BEHIND:.*]]
; CHECK: [[BODY]]:
; CHECK-NEXT: %x = call i64 @__lockstep_local_id(i32 0)
; CHECK: [[BEHIND]]:
; CHECK-NEXT: ret void
define void @copy(ptr addrspace(1) %from, ptr addrspace(1) %to, i32 %n) #0 {
  %id = alloca i32
  %x = call range(i64 0, 20) i64 @__lockstep_local_id(i32 0)
  %y = call range(i64 0, 20) i64 @__lockstep_local_id(i32 1)
  %column = trunc i64 %x to i32
  %row = trunc i64 %y to i32
  %start = mul i32 %row, %n
  %i = add i32 %start, %column
  %index = zext i32 %i to i64
  %from.at = getelementptr float, ptr addrspace(1) %from, i64 %index
  %value = load float, ptr addrspace(1) %from.at
  %to.at = getelementptr float, ptr addrspace(1) %to, i64 %index
  store float %value, ptr addrspace(1) %to.at
  ret void
}

; Most of the work is arithmetic, for which idle lanes cost more.
; CHECK: @computes({{.*}} [[LINEAR:#[0-9]+]]
define void @computes(ptr addrspace(1) %to, i64 %n, float %start) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %value = phi float [ %start, %entry ], [ %more, %loop ]
  %square = fmul float %value, %value
  %more = fadd float %square, 1.0
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %end
end:
  %row = mul i64 %y, %n
  %index = add i64 %row, %x
  %to.at = getelementptr float, ptr addrspace(1) %to, i64 %index
  store float %more, ptr addrspace(1) %to.at
  ret void
}

; The kernel observes which work-items are a sub-group.
; CHECK: @observes({{.*}} [[SEEN:#[0-9]+]]
define void @observes(ptr addrspace(1) %from, ptr addrspace(1) %to, i64 %n) #0 {
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %start = mul i64 %y, %n
  %index = add i64 %start, %x
  %from.at = getelementptr i64, ptr addrspace(1) %from, i64 %index
  %value = load i64, ptr addrspace(1) %from.at
  %lane = call i64 @__lockstep_lane()
  %sum = add i64 %value, %lane
  %to.at = getelementptr i64, ptr addrspace(1) %to, i64 %index
  store i64 %sum, ptr addrspace(1) %to.at
  ret void
}

; Private variables that live across a barrier need memory for each work-item.
; CHECK: @keeps_variables({{.*}} [[NARROW:#[0-9]+]]
define void @keeps_variables(ptr addrspace(1) %from, ptr addrspace(1) %to, i64 %n) #0 {
  %kept = alloca [64 x float]
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %start = mul i64 %y, %n
  %index = add i64 %start, %x
  %from.at = getelementptr float, ptr addrspace(1) %from, i64 %index
  %value = load float, ptr addrspace(1) %from.at
  store float %value, ptr %kept
  call void @__lockstep_barrier(i32 1)
  %again = load float, ptr %kept
  %to.at = getelementptr float, ptr addrspace(1) %to, i64 %index
  store float %again, ptr addrspace(1) %to.at
  ret void
}

; The code for groups at the edges of a launch.
; CHECK: @any_size({{.*}} [[ANY:#[0-9]+]]
; CHECK: [[ROW:%.*]] = call i64 @__lockstep_local_size(i32 0)
; CHECK-NEXT: [[ID:%.*]] = call i64 @__lockstep_local_id(i32 0)
; CHECK-NEXT: icmp ult i64 [[ID]], [[ROW]]
define void @any_size(ptr addrspace(1) %from, ptr addrspace(1) %to, i64 %n) {
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %start = mul i64 %y, %n
  %index = add i64 %start, %x
  %from.at = getelementptr float, ptr addrspace(1) %from, i64 %index
  %value = load float, ptr addrspace(1) %from.at
  %to.at = getelementptr float, ptr addrspace(1) %to, i64 %index
  store float %value, ptr addrspace(1) %to.at
  ret void
}

; A group of one row that has neighbors in the next rows.
; CHECK: @row({{.*}} [[ONE:#[0-9]+]]
; CHECK: icmp ult i64 {{%.*}}, 200
define void @row(ptr addrspace(1) %from, ptr addrspace(1) %to) #1 {
  %x = call i64 @__lockstep_local_id(i32 0)
  %from.at = getelementptr float, ptr addrspace(1) %from, i64 %x
  %value = load float, ptr addrspace(1) %from.at
  %to.at = getelementptr float, ptr addrspace(1) %to, i64 %x
  store float %value, ptr addrspace(1) %to.at
  ret void
}

; CHECK-DAG: attributes [[PADDED]] = {{.*}}"lockstep-local-size"="32,20,1"
; CHECK-DAG: attributes [[LINEAR]] = {{.*}}"lockstep-local-size"="20,20,1"
; CHECK-DAG: attributes [[NARROW]] = {{.*}}"lockstep-local-size"="20,20,1"{{.*}}"lockstep-sub-group-size"="4"
; CHECK-DAG: attributes [[SEEN]] = {{.*}}"lockstep-local-size"="20,20,1"
; CHECK-DAG: attributes [[ANY]] = {{.*}}"lockstep-padded-rows"
; CHECK-DAG: attributes [[ONE]] = {{.*}}"lockstep-local-size"="208,1,1"

declare i64 @__lockstep_local_id(i32)
declare i64 @__lockstep_lane()
declare void @__lockstep_barrier(i32)
attributes #0 = { "lockstep-local-size"="20,20,1" }
attributes #1 = { "lockstep-local-size"="200,1,1" "lockstep-neighbor-groups"="1,8,1" }
