; RUN: lockstep-opt -passes=make-coroutine %s | FileCheck %s
; Whoever waits for what was written by an atomic or volatile access is asked next; nobody of another
; group waits for local or private memory, and plain stores are the work of the kernel.

; CHECK-LABEL: @lockstep.sub_group
; CHECK: %[[FRAME:.*]] = call ptr @llvm.coro.begin
; CHECK: store atomic i32 1, ptr addrspace(1) %flag release
; CHECK-NEXT: %[[ADDRESS:.*]] = addrspacecast ptr addrspace(1) %flag to ptr
; CHECK-NEXT: %[[PLACE:.*]] = getelementptr inbounds i8, ptr %[[FRAME]], i64 56
; CHECK-NEXT: store ptr %[[ADDRESS]], ptr %[[PLACE]], align 8
; CHECK: store volatile i32 1
; CHECK: store ptr %{{.*}}, ptr %{{.*}}, align 8
; CHECK: %old = atomicrmw add
; CHECK: store ptr %{{.*}}, ptr %{{.*}}, align 8
; CHECK: %pair = cmpxchg
; CHECK: store ptr %{{.*}}, ptr %{{.*}}, align 8
; CHECK-NOT: store ptr
define void @lockstep.sub_group(ptr %launch, ptr %group, ptr %frame, i64 %sub.group) {
entry:
  %private = alloca i32
  %flag = load ptr addrspace(1), ptr %launch
  store atomic i32 1, ptr addrspace(1) %flag release, align 4
  store volatile i32 1, ptr addrspace(1) %flag, align 4
  %old = atomicrmw add ptr addrspace(1) %flag, i32 1 monotonic
  %pair = cmpxchg ptr addrspace(1) %flag, i32 0, i32 1 monotonic monotonic
  store i32 2, ptr addrspace(1) %flag
  store volatile i32 1, ptr %private
  %shared = atomicrmw add ptr addrspace(3) @shared, i32 1 monotonic
  %unknown = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  ret void
}

@shared = internal addrspace(3) global i32 poison
