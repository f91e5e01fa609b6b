; RUN: env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes=choose-sub-group-size %s 2>/dev/null | FileCheck %s
; In groups of 8 by 8 work-items, 16 lanes of a[y * n + x] would be a gather. Where that counts, a sub-group is one row.

; CHECK: @copy({{.*}} [[ROW:#[0-9]+]]
; CHECK: @rows_at_known_distance({{.*}} [[WIDE:#[0-9]+]]
; CHECK: @computes({{.*}} [[WIDE]]
; CHECK: @gathers({{.*}} [[WIDE]]
; CHECK: @transposes({{.*}} [[ROW]]
; CHECK-DAG: attributes [[ROW]] = {{.*}}"lockstep-sub-group-size"="8"
; CHECK-DAG: attributes [[WIDE]] = {{.*}}"lockstep-sub-group-size"="16"
define void @copy(ptr addrspace(1) %from, ptr addrspace(1) %to, i32 %n) #0 {
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
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

define void @rows_at_known_distance(ptr addrspace(1) %from, ptr addrspace(1) %to) #0 {
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %start = mul i64 %y, 64
  %index = add i64 %start, %x
  %from.at = getelementptr float, ptr addrspace(1) %from, i64 %index
  %value = load float, ptr addrspace(1) %from.at
  %to.at = getelementptr float, ptr addrspace(1) %to, i64 %index
  store float %value, ptr addrspace(1) %to.at
  ret void
}

; Most of the work is arithmetic, which takes twice as long with half of the lanes.
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

; The lanes of a row have no neighbors either.
define void @gathers(ptr addrspace(1) %from, ptr addrspace(1) %to, i64 %n) #0 {
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %start = mul i64 %x, %n
  %twice = shl i64 %y, 1
  %index = add i64 %start, %twice
  %from.at = getelementptr float, ptr addrspace(1) %from, i64 %index
  %value = load float, ptr addrspace(1) %from.at
  %to.at = getelementptr float, ptr addrspace(1) %to, i64 %index
  store float %value, ptr addrspace(1) %to.at
  ret void
}

; Columns of a tile.
define void @transposes(ptr addrspace(1) %from, ptr addrspace(1) %to, i64 %n) #0 {
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %start = mul i64 %x, %n
  %index = add i64 %start, %y
  %row = mul i64 %y, %n
  %from.index = add i64 %row, %x
  %from.at = getelementptr float, ptr addrspace(1) %from, i64 %from.index
  %value = load float, ptr addrspace(1) %from.at
  %to.at = getelementptr float, ptr addrspace(1) %to, i64 %index
  store float %value, ptr addrspace(1) %to.at
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
attributes #0 = { "lockstep-local-size"="8,8,1" }
