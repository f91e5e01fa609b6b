; RUN: env LOCKSTEP_CPU=skylake-avx512 lockstep-opt -passes=choose-sub-group-size %s | FileCheck %s
; Groups of one dimension whose work-items share rows of 8: elements of a row follow each other, and rows are anywhere.

; CHECK-LABEL: @sparse_rows
; CHECK-SAME: #[[ROWS:[0-9]+]]
define void @sparse_rows(ptr addrspace(1) %begins, ptr addrspace(1) %columns, ptr addrspace(1) %x, ptr addrspace(1) %to) #0 {
entry:
  %group = call i64 @__lockstep_group_id(i32 0)
  %id = call i64 @__lockstep_local_id(i32 0)
  %first = shl i64 %group, 6
  %global = add i64 %first, %id
  %row = lshr i64 %global, 3
  %column = and i64 %id, 7
  %begin.at = getelementptr i32, ptr addrspace(1) %begins, i64 %row
  %begin = load i32, ptr addrspace(1) %begin.at
  %next = add i64 %row, 1
  %end.at = getelementptr i32, ptr addrspace(1) %begins, i64 %next
  %end = load i32, ptr addrspace(1) %end.at
  %wide.begin = sext i32 %begin to i64
  %wide.end = sext i32 %end to i64
  %start = add i64 %wide.begin, %column
  br label %loop
loop:
  %i = phi i64 [ %start, %entry ], [ %i.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %columns, i64 %i
  %place = load i32, ptr addrspace(1) %at
  %wide.place = sext i32 %place to i64
  %x.at = getelementptr float, ptr addrspace(1) %x, i64 %wide.place
  %value = load float, ptr addrspace(1) %x.at
  %sum.next = fadd float %sum, %value
  %i.next = add i64 %i, 8
  %again = icmp slt i64 %i.next, %wide.end
  br i1 %again, label %loop, label %done
done:
  %to.at = getelementptr float, ptr addrspace(1) %to, i64 %global
  store float %sum.next, ptr addrspace(1) %to.at
  ret void
}

; The rows are at a known distance of each other.
; CHECK-LABEL: @known_rows
; CHECK-SAME: #[[WIDE:[0-9]+]]
define void @known_rows(ptr addrspace(1) %from, ptr addrspace(1) %to) #0 {
  %id = call i64 @__lockstep_local_id(i32 0)
  %row = lshr i64 %id, 3
  %column = and i64 %id, 7
  %line = mul i64 %row, 100
  %index = add i64 %line, %column
  %at = getelementptr float, ptr addrspace(1) %from, i64 %index
  %value = load float, ptr addrspace(1) %at
  %to.at = getelementptr float, ptr addrspace(1) %to, i64 %id
  store float %value, ptr addrspace(1) %to.at
  ret void
}

; Rows of 4 and of 8, as in a sum that is not unrolled.
; CHECK-LABEL: @several
; CHECK-SAME: #[[WIDE]]
define void @several(ptr addrspace(1) %from, ptr addrspace(1) %to, i64 %n) #0 {
  %id = call i64 @__lockstep_local_id(i32 0)
  %row = lshr i64 %id, 3
  %column = and i64 %id, 7
  %other = and i64 %id, 3
  %line = mul i64 %row, %n
  %index = add i64 %line, %column
  %at = getelementptr float, ptr addrspace(1) %from, i64 %index
  %value = load float, ptr addrspace(1) %at
  %to.at = getelementptr float, ptr addrspace(1) %to, i64 %other
  store float %value, ptr addrspace(1) %to.at
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)
attributes #0 = { "lockstep-local-size"="64,1,1" }

; CHECK-DAG: attributes #[[ROWS]] = {{.*}}"lockstep-sub-group-size"="8"
; CHECK-DAG: attributes #[[WIDE]] = {{.*}}"lockstep-sub-group-size"="16"
