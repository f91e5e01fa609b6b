; RUN: env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes=choose-sub-group-size --local-size=24,8,1 %s 2>/dev/null | FileCheck %s --check-prefixes=CHECK,EIGHT
; RUN: env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes=choose-sub-group-size --local-size=20,20,1 %s 2>/dev/null | FileCheck %s --check-prefixes=CHECK,FOUR
; RUN: env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes=choose-sub-group-size --local-size=48,8,1 %s 2>/dev/null | FileCheck %s --check-prefixes=CHECK,WIDE
; RUN: env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes=choose-sub-group-size --local-size=10,10,1 %s 2>/dev/null | FileCheck %s --check-prefixes=CHECK,WIDE
; Rows that are no multiple of 16, and are not padded since a private variable lives across a barrier, have whole sub-groups of
; fewer lanes, down to four.

; CHECK: @copy({{.*}} #[[COPY:[0-9]+]]
; EIGHT: attributes #[[COPY]] = {{.*}}"lockstep-sub-group-size"="8"
; FOUR: attributes #[[COPY]] = {{.*}}"lockstep-sub-group-size"="4"
; WIDE: attributes #[[COPY]] = {{.*}}"lockstep-sub-group-size"="16"
define void @copy(ptr addrspace(1) %from, ptr addrspace(1) %to, i64 %n) {
  %kept = alloca float
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %row = mul i64 %y, %n
  %index = add i64 %row, %x
  %from.at = getelementptr float, ptr addrspace(1) %from, i64 %index
  %value = load float, ptr addrspace(1) %from.at
  %to.at = getelementptr float, ptr addrspace(1) %to, i64 %index
  store float %value, ptr %kept
  call void @__lockstep_barrier(i32 1)
  %again = load float, ptr %kept
  store float %again, ptr addrspace(1) %to.at
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare void @__lockstep_barrier(i32)
