; RUN: lockstep-opt -passes=prefetch-groups %s | FileCheck %s
; The length of a row is an argument, and the index has 32 bits. The row of four groups ahead begins 4 * n elements later.

; CHECK: %all = load <256 x i32>
; CHECK-NEXT: [[N:%.*]] = zext i32 %n to i64
; CHECK-NEXT: [[ROWS:%.*]] = mul i64 [[N]], 16
; CHECK-NEXT: [[BEFORE:%.*]] = add i64 [[ROWS]], -8
; CHECK-NEXT: [[FIRST:%.*]] = add i64 [[BEFORE]], 0
; CHECK-NEXT: [[LINE0:%.*]] = getelementptr i8, ptr addrspace(1) %from, i64 [[FIRST]]
; CHECK-NEXT: call void @llvm.prefetch.p1(ptr addrspace(1) [[LINE0]]
; CHECK-COUNT-15: call void @llvm.prefetch.p1
; CHECK-NOT: call void @llvm.prefetch
define i32 @lockstep.start(ptr %launch, ptr %group, ptr %frame, i64 %size) {
entry:
  %args = load ptr, ptr %launch
  %values = load ptr addrspace(1), ptr %args
  %n.at = getelementptr i8, ptr %args, i64 8
  %n = load i32, ptr %n.at
  %id = load i64, ptr %group
  %row = trunc i64 %id to i32
  %index = mul nsw i32 %row, %n
  %next = add nsw i32 %index, 2
  %wide = sext i32 %next to i64
  %from = getelementptr inbounds i32, ptr addrspace(1) %values, i64 %wide
  %all = load <256 x i32>, ptr addrspace(1) %from, align 4
  store <256 x i32> %all, ptr %frame
  ret i32 0
}
