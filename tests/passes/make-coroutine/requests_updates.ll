; RUN: lockstep-opt -passes=make-coroutine %s | FileCheck %s
; The launch decides whether a group requests its addition. Then the group is suspended, and finds the old value in its frame.

; CHECK-LABEL: @lockstep.sub_group
; CHECK: %[[FRAME:.*]] = call ptr @llvm.coro.begin
; CHECK: getelementptr inbounds i8, ptr %[[FRAME]], i64 72
; CHECK: %may.request = icmp eq i32 %{{.*}}, 1
; CHECK-NEXT: br i1 %may.request
; The address, the size, what to add, the step.
; CHECK: getelementptr inbounds i8, ptr %[[FRAME]], i64 80
; CHECK: getelementptr inbounds i8, ptr %[[FRAME]], i64 76
; CHECK-NEXT: store i32 4
; CHECK: %[[WORD:.*]] = zext i32 %value to i64
; CHECK: getelementptr inbounds i8, ptr %[[FRAME]], i64 88
; CHECK-NEXT: store i64 %[[WORD]]
; CHECK: getelementptr inbounds i8, ptr %[[FRAME]], i64 20
; CHECK-NEXT: store i32 3
; CHECK: call i8 @llvm.coro.suspend
; CHECK: %[[OLD:.*]] = load i64
; CHECK: %[[NARROW:.*]] = trunc i64 %[[OLD]] to i32
; CHECK: %ticket = atomicrmw add ptr addrspace(1) %counter, i32 %value monotonic
; CHECK: %old = phi i32 [ %[[NARROW]], %{{.*}} ], [ %ticket, %{{.*}} ]
; CHECK: store i32 %old
; A subtraction adds the negative value.
; CHECK: %[[NEGATIVE:.*]] = sub i64 0, 5
; CHECK: store i32 8
; CHECK: store i64 %[[NEGATIVE]]
; CHECK: atomicrmw sub ptr addrspace(1) %counter, i64 5 seq_cst
; An addition without the metadata stays as it is.
; CHECK-NOT: %may.request
; CHECK: %last = atomicrmw add
; CHECK: attributes #0 = { presplitcoroutine "lockstep-frame-may-batch-updates" }
define void @lockstep.sub_group(ptr %launch, ptr %group, ptr %frame, i64 %sub.group) {
entry:
  %counter = load ptr addrspace(1), ptr %launch
  %place = load ptr addrspace(1), ptr %group
  %value = load i32, ptr addrspace(1) %place
  %ticket = atomicrmw add ptr addrspace(1) %counter, i32 %value monotonic, !lockstep.batched !0
  store i32 %ticket, ptr addrspace(1) %place
  %long = atomicrmw sub ptr addrspace(1) %counter, i64 5 seq_cst, !lockstep.batched !0
  store i64 %long, ptr addrspace(1) %place
  %last = atomicrmw add ptr addrspace(1) %counter, i32 %value monotonic
  store i32 %last, ptr addrspace(1) %place
  ret void
}

!0 = !{}
