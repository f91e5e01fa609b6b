; RUN: awk '/^  ; long way/ { for (i = 1; i <= 300; i++) print "  %%x" i " = mul i64 %%x" (i - 1) ", %%id"; next } { print }' %s > %t.ll
; RUN: split-file %t.ll %t
; RUN: lockstep-opt -passes=prefetch-groups %t/short.ll | FileCheck %s
; RUN: lockstep-opt -passes=prefetch-groups %t/loop.ll | FileCheck %s
; RUN: lockstep-opt -passes=prefetch-groups %t/short_phase.ll | FileCheck %s
; RUN: lockstep-opt -passes=prefetch-groups %t/same.ll | FileCheck %s
; RUN: lockstep-opt -passes=prefetch-groups %t/rows.ll | FileCheck %s
; RUN: lockstep-opt -passes=prefetch-groups %t/table.ll | FileCheck %s
; What the processor sees in time, loops of any length, short work in local memory, what all groups load, what is a row of a
; group, and what a table or a ring places.
; CHECK-NOT: llvm.prefetch

;--- short.ll
define void @lockstep.workgroup(ptr %launch, ptr %group) {
entry:
  %values = load ptr addrspace(1), ptr %launch
  %id = load i64, ptr %group
  %from = getelementptr <512 x i32>, ptr addrspace(1) %values, i64 %id
  %all = load <512 x i32>, ptr addrspace(1) %from, align 4
  store <512 x i32> %all, ptr addrspace(1) %from, align 4
  ret void
}
;--- loop.ll
define void @lockstep.workgroup(ptr %launch, ptr %group) {
entry:
  %values = load ptr addrspace(1), ptr %launch
  %id = load i64, ptr %group
  %x0 = add i64 %id, 1
  ; long way
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = add i64 %id, %i
  %from = getelementptr <128 x i32>, ptr addrspace(1) %values, i64 %at
  %all = load <128 x i32>, ptr addrspace(1) %from, align 4
  store <128 x i32> %all, ptr addrspace(1) %from, align 4
  %next = add i64 %i, 1
  %goes.on = icmp ult i64 %next, %id
  br i1 %goes.on, label %loop, label %end
end:
  ret void
}
;--- short_phase.ll
define void @lockstep.workgroup(ptr %launch, ptr %group) {
entry:
  %args = load ptr, ptr %launch
  %values = load ptr addrspace(1), ptr %args
  %local.at = getelementptr i8, ptr %group, i64 48
  %local = load ptr addrspace(3), ptr %local.at
  %id = load i64, ptr %group
  %row = shl i64 %id, 8
  br label %loads
loads:
  %i = phi i64 [ 0, %entry ], [ %next, %loads ]
  %at = add i64 %row, %i
  %from = getelementptr i32, ptr addrspace(1) %values, i64 %at
  %v = load <16 x i32>, ptr addrspace(1) %from, align 4
  %to = getelementptr i32, ptr addrspace(3) %local, i64 %i
  store <16 x i32> %v, ptr addrspace(3) %to, align 4
  %next = add nuw nsw i64 %i, 16
  %again = icmp ult i64 %next, 256
  br i1 %again, label %loads, label %steps
steps:
  %k = phi i64 [ 0, %loads ], [ %k.next, %steps ]
  %step = getelementptr i32, ptr addrspace(3) %local, i64 %k
  %behind = getelementptr i32, ptr addrspace(3) %step, i64 16
  %one = load <16 x i32>, ptr addrspace(3) %step, align 4
  %other = load <16 x i32>, ptr addrspace(3) %behind, align 4
  %sum = add <16 x i32> %one, %other
  store <16 x i32> %sum, ptr addrspace(3) %step, align 4
  %k.next = add nuw nsw i64 %k, 16
  %more = icmp ult i64 %k.next, 128
  br i1 %more, label %steps, label %done
done:
  ret void
}
;--- same.ll
define void @lockstep.workgroup(ptr %launch, ptr %group) {
entry:
  %values = load ptr addrspace(1), ptr %launch
  %id = load i64, ptr %group
  %all = load <512 x i32>, ptr addrspace(1) %values, align 4
  %x0 = add i64 %id, 1
  ; long way
  store <512 x i32> %all, ptr addrspace(1) %values, align 4
  ret void
}
;--- rows.ll
define void @lockstep.workgroup(ptr %launch, ptr %group) "lockstep-calls-per-group"="1,4,1" {
entry:
  %values = load ptr addrspace(1), ptr %launch
  %id = load i64, ptr %group
  %from = getelementptr <512 x i32>, ptr addrspace(1) %values, i64 %id
  %all = load <512 x i32>, ptr addrspace(1) %from, align 4
  %x0 = add i64 %id, 1
  ; long way
  store <512 x i32> %all, ptr addrspace(1) %from, align 4
  ret void
}
;--- table.ll
define void @lockstep.workgroup(ptr %launch, ptr %group) {
entry:
  %values = load ptr addrspace(1), ptr %launch
  %id = load i64, ptr %group
  %entry.of.group = getelementptr i64, ptr %launch, i64 %id
  %at = load i64, ptr %entry.of.group
  %from = getelementptr <512 x i32>, ptr addrspace(1) %values, i64 %at
  %all = load <512 x i32>, ptr addrspace(1) %from, align 4
  %place = and i64 %id, 7
  %ring = getelementptr <512 x i32>, ptr addrspace(1) %values, i64 %place
  %more = load <512 x i32>, ptr addrspace(1) %ring, align 4
  %x0 = add i64 %id, 1
  ; long way
  store <512 x i32> %all, ptr addrspace(1) %from, align 4
  ret void
}
