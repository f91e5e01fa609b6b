; RUN: awk '/^  ; long way/ { for (i = 1; i <= 300; i++) print "  %%x" i " = mul i64 %%x" (i - 1) ", %%id"; next } { print }' %s > %t.ll
; RUN: split-file %t.ll %t
; RUN: lockstep-opt -passes=prefetch-groups %t/short.ll | FileCheck %s
; RUN: lockstep-opt -passes=prefetch-groups %t/loop.ll | FileCheck %s
; RUN: lockstep-opt -passes=prefetch-groups %t/same.ll | FileCheck %s
; RUN: lockstep-opt -passes=prefetch-groups %t/rows.ll | FileCheck %s
; RUN: lockstep-opt -passes=prefetch-groups %t/table.ll | FileCheck %s
; What the processor sees in time, what comes bit by bit, what all groups load, what is a row of a group, and what a table or
; a ring places.
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
  %from = getelementptr <512 x i32>, ptr addrspace(1) %values, i64 %id
  %all = load <512 x i32>, ptr addrspace(1) %from, align 4
  %x0 = add i64 %id, 1
  ; long way
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %next = add i64 %i, 1
  %goes.on = icmp ult i64 %next, %id
  br i1 %goes.on, label %loop, label %end
end:
  store <512 x i32> %all, ptr addrspace(1) %from, align 4
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
