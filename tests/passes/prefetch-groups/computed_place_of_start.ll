; RUN: lockstep-opt -passes=prefetch-groups %s 2>&1 | FileCheck %s
; Groups that may wait take the rows of an array forwards or backwards, as an argument says. The distance to a later group's
; row is that to the next group's row, once for a group, times the number of groups. A place that is found by a division has none.

; CHECK: remark: {{.*}}memory: each work-group fetches 16 lines that the one 4 places behind it will load
; CHECK: define i32 @lockstep.start(
; CHECK: %row = and i64 %shifted, 4294967040
; CHECK-NEXT: [[ID:%.*]] = add i64 %id, 1
; CHECK-NEXT: [[TURNED:%.*]] = sub i64 %last, [[ID]]
; CHECK: select i1 %reversed, i64 [[TURNED]]
; CHECK: [[ROW:%.*]] = and i64 {{.*}}, 4294967040
; CHECK-NEXT: [[STEP:%.*]] = sub i64 [[ROW]], %row
; CHECK: loop:
; CHECK: %v = load <16 x i32>
; CHECK-NEXT: [[DISTANCE:%.*]] = mul{{.*}} i64 [[STEP]], 16
; CHECK-NEXT: [[AT:%.*]] = getelementptr i8, ptr addrspace(1) %from, i64 [[DISTANCE]]
; CHECK-NEXT: call void @llvm.prefetch.p1(ptr addrspace(1) [[AT]]
; CHECK-NOT: call void @llvm.prefetch
; CHECK: ret i32
define i32 @lockstep.start(ptr %launch, ptr %group, ptr %frame, i64 %last) {
entry:
  %args = load ptr, ptr %launch
  %values = load ptr addrspace(1), ptr %args
  %id = load i64, ptr %group
  %reversed = icmp ne ptr %frame, null
  %turned = sub i64 %last, %id
  %place = select i1 %reversed, i64 %turned, i64 %id
  %shifted = shl i64 %place, 8
  %row = and i64 %shifted, 4294967040
  %folded = urem i64 %place, 3
  %other = getelementptr <16 x i32>, ptr addrspace(1) %values, i64 %folded
  %w = load <16 x i32>, ptr addrspace(1) %other, align 4
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <16 x i32> [ %w, %entry ], [ %more.sum, %loop ]
  %at = add i64 %row, %i
  %from = getelementptr i32, ptr addrspace(1) %values, i64 %at
  %v = load <16 x i32>, ptr addrspace(1) %from, align 4
  %more.sum = add <16 x i32> %sum, %v
  %next = add nuw nsw i64 %i, 16
  %again = icmp ult i64 %next, 256
  br i1 %again, label %loop, label %done
done:
  store <16 x i32> %more.sum, ptr %frame
  ret i32 0
}
