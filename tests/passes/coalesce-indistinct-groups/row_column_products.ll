; RUN: env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes='coalesce-indistinct-groups' %s | FileCheck %s
; Groups of 16 columns and 16 rows add products of rows and columns: calls are for two registers of columns, if no other
; work-item sees how many lanes run. If groups above each other are offered, calls are for 64 rows, which block-products lets take
; turns; not where work-items leave before the loop.

; CHECK: define void @product({{.*}}) [[TWO:#[0-9]+]]
; CHECK: call range(i64 0, 32) i64 @__lockstep_local_id(i32 0)
; CHECK: define void @column_sums({{.*}}) [[ONE:#[0-9]+]]
; CHECK: call i64 @__lockstep_local_id(i32 0)
; CHECK: define void @updated({{.*}}) [[ONE]]
; CHECK: call i64 @__lockstep_local_id(i32 0)
; CHECK: define void @rows({{.*}}) [[ROWS:#[0-9]+]]
; CHECK: call range(i64 0, 32) i64 @__lockstep_local_id(i32 0)
; CHECK: call range(i64 0, 64) i64 @__lockstep_local_id(i32 1)
; CHECK: define void @guarded_rows({{.*}}) [[GUARDED:#[0-9]+]]
; CHECK: attributes [[TWO]] = { "lockstep-coalesced-groups"="0,2,0" "lockstep-local-size"="32,16,1"
; CHECK: attributes [[ONE]] = { "lockstep-local-size"="16,16,1"
; CHECK: attributes [[ROWS]] = { "lockstep-coalesced-groups"="0,2,0,1,4,1" "lockstep-local-size"="32,64,1"
; CHECK: attributes [[GUARDED]] = { "lockstep-coalesced-groups"="0,2,0" "lockstep-local-size"="32,16,1"
define void @product(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i64 %n) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %group = call i64 @__lockstep_group_id(i32 0)
  %left = shl i64 %group, 4
  %column = add i64 %left, %x
  %line = mul i64 %y, %n
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %a.index = add i64 %line, %k
  %a.at = getelementptr float, ptr addrspace(1) %a, i64 %a.index
  %a.value = load float, ptr addrspace(1) %a.at
  %above = mul i64 %k, %n
  %b.index = add i64 %above, %column
  %b.at = getelementptr float, ptr addrspace(1) %b, i64 %b.index
  %b.value = load float, ptr addrspace(1) %b.at
  %sum.next = call float @llvm.fmuladd.f32(float %a.value, float %b.value, float %sum)
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %loop, label %end
end:
  %c.index = add i64 %line, %column
  %c.at = getelementptr float, ptr addrspace(1) %c, i64 %c.index
  store float %sum.next, ptr addrspace(1) %c.at
  ret void
}

; There is no factor of a row.
define void @column_sums(ptr addrspace(1) %b, ptr addrspace(1) %c, i64 %n) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %group = call i64 @__lockstep_group_id(i32 0)
  %left = shl i64 %group, 4
  %column = add i64 %left, %x
  %line = mul i64 %y, %n
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %above = mul i64 %k, %n
  %b.index = add i64 %above, %column
  %b.at = getelementptr float, ptr addrspace(1) %b, i64 %b.index
  %b.value = load float, ptr addrspace(1) %b.at
  %sum.next = call float @llvm.fmuladd.f32(float %b.value, float %b.value, float %sum)
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %loop, label %end
end:
  %c.index = add i64 %line, %column
  %c.at = getelementptr float, ptr addrspace(1) %c, i64 %c.index
  store float %sum.next, ptr addrspace(1) %c.at
  ret void
}

; Other work-items see the atomic update.
define void @updated(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i64 %n) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %group = call i64 @__lockstep_group_id(i32 0)
  %left = shl i64 %group, 4
  %column = add i64 %left, %x
  %line = mul i64 %y, %n
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %a.index = add i64 %line, %k
  %a.at = getelementptr float, ptr addrspace(1) %a, i64 %a.index
  %a.value = load float, ptr addrspace(1) %a.at
  %above = mul i64 %k, %n
  %b.index = add i64 %above, %column
  %b.at = getelementptr float, ptr addrspace(1) %b, i64 %b.index
  %b.value = load float, ptr addrspace(1) %b.at
  %sum.next = call float @llvm.fmuladd.f32(float %a.value, float %b.value, float %sum)
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %loop, label %end
end:
  %old = atomicrmw fadd ptr addrspace(1) %c, float %sum.next monotonic
  ret void
}

define void @rows(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i64 %n) #1 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %group = call i64 @__lockstep_group_id(i32 0)
  %left = shl i64 %group, 4
  %column = add i64 %left, %x
  %group.y = call i64 @__lockstep_group_id(i32 1)
  %top = shl i64 %group.y, 4
  %row = add i64 %top, %y
  %line = mul i64 %row, %n
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %a.index = add i64 %line, %k
  %a.at = getelementptr float, ptr addrspace(1) %a, i64 %a.index
  %a.value = load float, ptr addrspace(1) %a.at
  %above = mul i64 %k, %n
  %b.index = add i64 %above, %column
  %b.at = getelementptr float, ptr addrspace(1) %b, i64 %b.index
  %b.value = load float, ptr addrspace(1) %b.at
  %sum.next = call float @llvm.fmuladd.f32(float %a.value, float %b.value, float %sum)
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %loop, label %end
end:
  %c.index = add i64 %line, %column
  %c.at = getelementptr float, ptr addrspace(1) %c, i64 %c.index
  store float %sum.next, ptr addrspace(1) %c.at
  ret void
}

define void @guarded_rows(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i64 %n) #1 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %group = call i64 @__lockstep_group_id(i32 0)
  %left = shl i64 %group, 4
  %column = add i64 %left, %x
  %group.y = call i64 @__lockstep_group_id(i32 1)
  %top = shl i64 %group.y, 4
  %row = add i64 %top, %y
  %line = mul i64 %row, %n
  %inside = icmp ult i64 %row, %n
  br i1 %inside, label %begin, label %out
begin:
  br label %loop
loop:
  %k = phi i64 [ 0, %begin ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %begin ], [ %sum.next, %loop ]
  %a.index = add i64 %line, %k
  %a.at = getelementptr float, ptr addrspace(1) %a, i64 %a.index
  %a.value = load float, ptr addrspace(1) %a.at
  %above = mul i64 %k, %n
  %b.index = add i64 %above, %column
  %b.at = getelementptr float, ptr addrspace(1) %b, i64 %b.index
  %b.value = load float, ptr addrspace(1) %b.at
  %sum.next = call float @llvm.fmuladd.f32(float %a.value, float %b.value, float %sum)
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %loop, label %end
end:
  %c.index = add i64 %line, %column
  %c.at = getelementptr float, ptr addrspace(1) %c, i64 %c.index
  store float %sum.next, ptr addrspace(1) %c.at
  br label %out
out:
  ret void
}

declare float @llvm.fmuladd.f32(float, float, float)
declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)
attributes #0 = { "lockstep-local-size"="16,16,1" "lockstep-neighbor-groups"="8,1,1" }
attributes #1 = { "lockstep-local-size"="16,16,1" "lockstep-neighbor-groups"="32,8,1" }
