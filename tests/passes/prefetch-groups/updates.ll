; RUN: lockstep-opt -passes=prefetch-groups %s 2>&1 | FileCheck %s
; The next group's loads do not begin before the update, so a short group asks for what is four groups ahead. Only the last
; group executes the loop. The place of a group is computed of its id.

; CHECK: remark: {{.*}}memory: each work-group fetches 16 lines that the one 4 places behind it will load
; CHECK-LABEL: define void @lockstep.workgroup(
; CHECK: [[ID:%.*]] = add i64 %id, 1
; CHECK-NEXT: [[NEXT:%.*]] = xor i64 [[ID]], 1
; CHECK-NEXT: sub i64 [[NEXT]], %place
; CHECK: %all = load <256 x i32>
; CHECK-COUNT-16: call void @llvm.prefetch.p1
; CHECK-NOT: call void @llvm.prefetch
; CHECK: atomicrmw add
define void @lockstep.workgroup(ptr %launch, ptr %group) {
entry:
  %args = load ptr, ptr %launch
  %values = load ptr addrspace(1), ptr %args
  %id = load i64, ptr %group
  %place = xor i64 %id, 1
  %from = getelementptr <256 x i32>, ptr addrspace(1) %values, i64 %place
  %all = load <256 x i32>, ptr addrspace(1) %from, align 4
  %sum = call i32 @llvm.vector.reduce.add.v256i32(<256 x i32> %all)
  %old = atomicrmw add ptr addrspace(1) %values, i32 %sum acq_rel
  %is.last = icmp eq i32 %old, 0
  br i1 %is.last, label %loop, label %end
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %values, i64 %i
  store i32 0, ptr addrspace(1) %at
  %next = add i64 %i, 1
  %goes.on = icmp ult i64 %next, %id
  br i1 %goes.on, label %loop, label %end
end:
  ret void
}
declare i32 @llvm.vector.reduce.add.v256i32(<256 x i32>)
