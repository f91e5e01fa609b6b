; RUN: lockstep-opt -passes=groups-in-rows %s | FileCheck %s --check-prefix=FIND
; RUN: sed 's/"lockstep-local-size"/"lockstep-groups-in-rows" &/' %s | lockstep-opt -passes=groups-in-rows | FileCheck %s
; First the pass only says how the launch computes the length of a row: argument 2, 4 bytes, by the local size, exactly. Then
; the launch has numbered the groups in rows.

; FIND-LABEL: @product
; FIND: udiv
; FIND: ret void
; CHECK-LABEL: @product
; CHECK: [[COLUMN:%.*]] = call i64 @__lockstep_group_id(i32 0)
; CHECK: [[ROW:%.*]] = call i64 @__lockstep_group_id(i32 1)
; CHECK: [[COLUMNS:%.*]] = call i64 @__lockstep_num_groups(i32 0)
; CHECK: [[FIRST:%.*]] = mul nuw nsw i64 [[COLUMN]], 64
; CHECK: %place.in.row = add nuw nsw i64 [[FIRST]]
; CHECK: [[Y:%.*]] = trunc i64 [[ROW]] to i32
; CHECK: [[X:%.*]] = trunc i64 %place.in.row to i32
; CHECK-NOT: {{udiv|urem}}
; CHECK: %at = add i32 {{%.*}}, [[X]]
define void @product(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %n) #0 {
entry:
  %g = call i64 @__lockstep_group_id(i32 0)
  %first = shl i64 %g, 6
  %l = call range(i64 0, 64) i64 @__lockstep_local_id(i32 0)
  %id = or disjoint i64 %first, %l
  %i = trunc i64 %id to i32
  %divisor = call i32 @llvm.umax.i32(i32 %n, i32 1)
  %y = udiv i32 %i, %divisor
  %x = urem i32 %i, %divisor
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %above = mul i32 %k, %n
  %at = add i32 %above, %x
  %from = getelementptr float, ptr addrspace(1) %b, i32 %at
  %value = load float, ptr addrspace(1) %from
  %to = getelementptr float, ptr addrspace(1) %a, i32 %y
  store float %value, ptr addrspace(1) %to
  %next = add i32 %k, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; The group id is divided, by a quotient of an argument.
; CHECK-LABEL: @tiles
; CHECK: [[COLUMN:%.*]] = call i64 @__lockstep_group_id(i32 0)
; CHECK: [[ROW:%.*]] = call i64 @__lockstep_group_id(i32 1)
; CHECK: [[COLUMNS:%.*]] = call i64 @__lockstep_num_groups(i32 0)
; CHECK: [[ABOVE:%.*]] = mul nuw nsw i64 [[ROW]], [[COLUMNS]]
; CHECK: %group.id = add nuw nsw i64 [[ABOVE]], [[COLUMN]]
; CHECK: trunc i64 [[ROW]] to i32
; CHECK-NOT: {{sdiv|srem}}
; CHECK: store i64 %group.id
; CHECK: ret void
define void @tiles(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %n, i32 %h) #1 {
  %g = call i64 @__lockstep_group_id(i32 0)
  %l = call range(i64 0, 64) i64 @__lockstep_local_id(i32 0)
  %group = trunc i64 %g to i32
  %tiles = lshr i32 %n, 6
  %y = sdiv i32 %group, %tiles
  %tile = srem i32 %group, %tiles
  %first = mul i32 %tile, 64
  %id = trunc i64 %l to i32
  %x = add i32 %first, %id
  %column = mul i32 %x, %h
  %at = add i32 %column, %y
  %to = getelementptr float, ptr addrspace(1) %a, i32 %at
  store float 1.0, ptr addrspace(1) %to
  store i64 %g, ptr addrspace(1) %b
  ret void
}

; FIND: attributes #0 = {{.*}}"lockstep-row-of-groups"="64,1,2,0,4"
; FIND: attributes #1 = {{.*}}"lockstep-row-of-groups"="64,0,2,0,4"
declare i32 @llvm.umax.i32(i32, i32)
declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
attributes #0 = { "lockstep-local-size"="64,1,1" }
attributes #1 = { "lockstep-local-size"="64,1,1" "second" }
