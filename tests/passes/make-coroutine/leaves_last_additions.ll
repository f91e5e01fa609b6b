; RUN: lockstep-opt -passes=make-coroutine %s | FileCheck %s
; An addition that is the last effect of a group is left to the launch: its address, size and value, and the state 2. The group
; writes its own local memory afterwards.

; CHECK-LABEL: @lockstep.sub_group
; CHECK: %[[FRAME:.*]] = call ptr @llvm.coro.begin
; An addition before a store is made at once, and so is one in a loop.
; CHECK: atomicrmw add ptr addrspace(1) %early, i32 1 release
; CHECK: store i32 1, ptr addrspace(1) %flag
; CHECK: atomicrmw add ptr addrspace(1) %again, i32 1 monotonic
; CHECK-NOT: atomicrmw
; CHECK: %[[NUMBER:.*]] = sub i64 0, %value
; CHECK: getelementptr inbounds i8, ptr %[[FRAME]], i64 80
; CHECK-NEXT: store ptr
; CHECK: getelementptr inbounds i8, ptr %[[FRAME]], i64 76
; CHECK-NEXT: store i32 8
; CHECK: getelementptr inbounds i8, ptr %[[FRAME]], i64 88
; CHECK-NEXT: store i64 %[[NUMBER]]
; CHECK: getelementptr inbounds i8, ptr %[[FRAME]], i64 72
; CHECK-NEXT: store i32 2
; CHECK: store i32 0, ptr addrspace(3) %own
; CHECK-NOT: atomicrmw
; CHECK: call void @llvm.coro.end
define void @lockstep.sub_group(ptr %launch, ptr %group, ptr %frame, i64 %sub.group) "lockstep-form"="resumable-group" {
entry:
  %early = load ptr addrspace(1), ptr %launch
  %flag = load ptr addrspace(1), ptr %group
  %place.of.again = getelementptr i8, ptr %launch, i64 8
  %again = load ptr addrspace(1), ptr %place.of.again
  %place.of.counter = getelementptr i8, ptr %launch, i64 16
  %counter = load ptr addrspace(1), ptr %place.of.counter
  %place.of.own = getelementptr i8, ptr %group, i64 8
  %own = load ptr addrspace(3), ptr %place.of.own
  %place.of.value = getelementptr i8, ptr %group, i64 16
  %value = load i64, ptr %place.of.value
  %1 = atomicrmw add ptr addrspace(1) %early, i32 1 release
  store i32 1, ptr addrspace(1) %flag
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %2 = atomicrmw add ptr addrspace(1) %again, i32 1 monotonic
  %goes.on = icmp ult i32 %next, 9
  br i1 %goes.on, label %loop, label %last
last:
  %is.first = icmp eq i64 %value, 0
  br i1 %is.first, label %end, label %adds
adds:
  %3 = atomicrmw sub ptr addrspace(1) %counter, i64 %value release
  br label %end
end:
  store i32 0, ptr addrspace(3) %own
  ret void
}
