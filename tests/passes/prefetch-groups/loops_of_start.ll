; RUN: lockstep-opt -passes=prefetch-groups %s 2>&1 | FileCheck %s
; A group that may wait loads in a loop over its sub-groups, at an address that depends on the level of a tree. Each load is
; followed by the prefetch of the same line of a later group; the level counts as the same.

; CHECK: remark: {{.*}}memory: each work-group fetches 16 lines that the one 4 places behind it will load
; CHECK: define i32 @lockstep.start(
; CHECK: loop:
; CHECK: %v = load <16 x i32>
; CHECK-NEXT: [[AT:%.*]] = getelementptr i8, ptr addrspace(1) %from, i64 4096
; CHECK-NEXT: call void @llvm.prefetch.p1(ptr addrspace(1) [[AT]]
; CHECK-NOT: call void @llvm.prefetch
; CHECK: ret i32
define i32 @lockstep.start(ptr %launch, ptr %group, ptr %frame, i64 %size) {
entry:
  %args = load ptr, ptr %launch
  %values = load ptr addrspace(1), ptr %args
  %id = load i64, ptr %group
  %number = trunc i64 %id to i32
  br label %level
level:
  %first = phi i32 [ 0, %entry ], [ %end, %level ]
  %count = phi i32 [ 65536, %entry ], [ %fewer, %level ]
  %end = add i32 %first, %count
  %fewer = lshr i32 %count, 8
  %more = icmp ule i32 %end, %number
  br i1 %more, label %level, label %before
before:
  %place = sub i32 %number, %first
  %word = shl i32 %place, 8
  br label %loop
loop:
  %i = phi i32 [ 0, %before ], [ %next, %loop ]
  %sum = phi <16 x i32> [ zeroinitializer, %before ], [ %more.sum, %loop ]
  %at = add i32 %word, %i
  %wide = zext i32 %at to i64
  %from = getelementptr i32, ptr addrspace(1) %values, i64 %wide
  %v = load <16 x i32>, ptr addrspace(1) %from, align 4
  %more.sum = add <16 x i32> %sum, %v
  %next = add nuw nsw i32 %i, 16
  %again = icmp ult i32 %next, 256
  br i1 %again, label %loop, label %done
done:
  store <16 x i32> %more.sum, ptr %frame
  ret i32 0
}
