; RUN: lockstep-opt -passes=prefetch-groups %s 2>&1 | FileCheck %s
; A group loads 16 lines in a loop, or copies them, and then works in local memory in another loop for long. The next group's
; lines are out of sight. If the second loop is short, they are not.

; CHECK: remark: {{.*}}memory: each work-group fetches 16 lines that the one 2 places behind it will load
; CHECK-LABEL: define void @lockstep.workgroup(
; CHECK: %v = load <16 x i32>
; CHECK-NEXT: [[AT:%.*]] = getelementptr i8, ptr addrspace(1) %from, i64 2048
; CHECK-NEXT: call void @llvm.prefetch.p1(ptr addrspace(1) [[AT]], i32 0, i32 3, i32 1)
; CHECK: steps:
; CHECK-NOT: prefetch
; CHECK: ret void
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
  %more = icmp ult i64 %k.next, 2048
  br i1 %more, label %steps, label %done
done:
  ret void
}
