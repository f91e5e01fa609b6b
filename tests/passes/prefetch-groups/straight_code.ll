; RUN: awk '/^  ; long way/ { for (i = 1; i <= 300; i++) print "  %%x" i " = mul i64 %%x" (i - 1) ", %%odd"; next } { print }' %s > %t
; RUN: lockstep-opt -passes=prefetch-groups %t 2>&1 | FileCheck %s
; A group that loads 1 KiB and then has much to do asks for what the group after the next will load, behind its own loads. One
; that may wait need not have much to do, may load in short loops and under conditions, and asks for what is four groups
; ahead.

; CHECK: remark: {{.*}}memory: each work-group fetches 16 lines that the one 2 places behind it will load
; CHECK: %last = load <64 x i32>
; CHECK-NEXT: [[LINE0:%.*]] = getelementptr i8, ptr addrspace(1) %from, i64 2048
; CHECK-NEXT: call void @llvm.prefetch.p1(ptr addrspace(1) [[LINE0]], i32 0, i32 3, i32 1)
; CHECK-NEXT: [[LINE1:%.*]] = getelementptr i8, ptr addrspace(1) %from, i64 2112
; CHECK-NEXT: call void @llvm.prefetch.p1(ptr addrspace(1) [[LINE1]], i32 0, i32 3, i32 1)
; CHECK-COUNT-14: call void @llvm.prefetch.p1
; CHECK-NOT: call void @llvm.prefetch
; CHECK: ret void
define void @lockstep.workgroup(ptr %launch, ptr %group) {
entry:
  %args = load ptr, ptr %launch
  %values = load ptr addrspace(1), ptr %args
  %id = load i64, ptr %group
  %word = shl nuw i64 %id, 8
  %from = getelementptr inbounds i32, ptr addrspace(1) %values, i64 %word
  %first = load <64 x i32>, ptr addrspace(1) %from, align 4
  %from.1 = getelementptr i8, ptr addrspace(1) %from, i64 256
  %second = load <64 x i32>, ptr addrspace(1) %from.1, align 4
  %from.2 = getelementptr i8, ptr addrspace(1) %from, i64 512
  %third = load <64 x i32>, ptr addrspace(1) %from.2, align 4
  %from.3 = getelementptr i8, ptr addrspace(1) %from, i64 768
  %last = load <64 x i32>, ptr addrspace(1) %from.3, align 4
  %sum = add <64 x i32> %first, %second
  %sum.3 = add <64 x i32> %sum, %third
  %all = add <64 x i32> %sum.3, %last
  %one = extractelement <64 x i32> %all, i64 0
  %odd = zext i32 %one to i64
  %x0 = add i64 %odd, 1
  ; long way
  %to = getelementptr i64, ptr addrspace(1) %values, i64 %id
  store i64 %x300, ptr addrspace(1) %to
  ret void
}

; CHECK: define i32 @lockstep.start(
; CHECK: %last = load <256 x i32>
; CHECK-NEXT: [[LINE0:%.*]] = getelementptr i8, ptr addrspace(1) %from, i64 4096
; CHECK-COUNT-16: call void @llvm.prefetch.p1
; CHECK-NOT: call void @llvm.prefetch
; CHECK: ret i32
define i32 @lockstep.start(ptr %launch, ptr %group, ptr %frame, i64 %size) {
entry:
  %args = load ptr, ptr %launch
  %values = load ptr addrspace(1), ptr %args
  %id = load i64, ptr %group
  %word = shl nuw i64 %id, 8
  %from = getelementptr inbounds i32, ptr addrspace(1) %values, i64 %word
  %last = load <256 x i32>, ptr addrspace(1) %from, align 4
  store <256 x i32> %last, ptr %frame
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %next = add i64 %i, 1
  %goes.on = icmp ult i64 %next, %size
  br i1 %goes.on, label %loop, label %end
end:
  ret i32 0
}
