; RUN: lockstep-opt -passes=make-coroutine %s | FileCheck %s
; The launch decides whether a group stops before it takes a lock. Then the group writes the address of the lock.

; CHECK-LABEL: @lockstep.sub_group
; CHECK: %[[FRAME:.*]] = call ptr @llvm.coro.begin
; CHECK: getelementptr inbounds i8, ptr %[[FRAME]], i64 72
; CHECK: %may.request = icmp eq i32 %{{.*}}, 1
; CHECK-NEXT: br i1 %may.request, label %[[STOP:.*]], label %[[TAKE:.*]]
; CHECK: [[STOP]]:
; CHECK: getelementptr inbounds i8, ptr %[[FRAME]], i64 80
; CHECK-NEXT: store ptr %{{.*}}
; CHECK: getelementptr inbounds i8, ptr %[[FRAME]], i64 20
; CHECK-NEXT: store i32 4
; CHECK: call i8 @llvm.coro.suspend
; CHECK: [[TAKE]]:
; CHECK-NEXT: atomicrmw xchg
; CHECK-NOT: call void @__lockstep_before_lock
; CHECK: attributes #0 = { presplitcoroutine "lockstep-frame-stops-before-locks" }
define void @lockstep.sub_group(ptr %launch, ptr %group, ptr %frame, i64 %sub.group) {
entry:
  %lock = load ptr addrspace(1), ptr %launch
  %generic = addrspacecast ptr addrspace(1) %lock to ptr addrspace(4)
  call void @__lockstep_before_lock(ptr addrspace(4) %generic)
  %was = atomicrmw xchg ptr addrspace(1) %lock, i32 1 acquire
  ret void
}

declare void @__lockstep_before_lock(ptr addrspace(4))
