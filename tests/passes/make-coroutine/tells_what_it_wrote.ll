; RUN: lockstep-opt -passes=make-coroutine %s | FileCheck %s
; Whoever waits for what was written by an atomic or volatile access is asked next; nobody of another
; group waits for local or private memory, and plain stores away from fences are the work of the kernel.

; CHECK-LABEL: @lockstep.sub_group
; CHECK: %[[FRAME:.*]] = call ptr @llvm.coro.begin
; CHECK: store atomic i32 1, ptr addrspace(1) %flag release
; CHECK-NEXT: %[[ADDRESS:.*]] = addrspacecast ptr addrspace(1) %flag to ptr
; CHECK-NEXT: %[[PLACE:.*]] = getelementptr inbounds i8, ptr %[[FRAME]], i64 64
; CHECK-NEXT: store ptr %[[ADDRESS]], ptr %[[PLACE]], align 8
; CHECK: store volatile i32 1
; CHECK: store ptr %{{.*}}, ptr %{{.*}}, align 8
; CHECK: %old = atomicrmw add
; CHECK: store ptr %{{.*}}, ptr %{{.*}}, align 8
; CHECK: %pair = cmpxchg
; CHECK: store ptr %{{.*}}, ptr %{{.*}}, align 8
; What is used is more likely a lock or a ticket that is taken: only if nothing else was written.
; CHECK: %ticket = atomicrmw add
; CHECK: %[[MINE:.*]] = addrspacecast
; CHECK: %wrote = load ptr
; CHECK: %[[NONE:.*]] = icmp eq ptr %wrote, null
; CHECK: %[[TOLD:.*]] = select i1 %[[NONE]], ptr %[[MINE]], ptr %wrote
; CHECK: store ptr %[[TOLD]]
; CHECK-NOT: store ptr
; A flag of OpenCL 1.x stands behind a fence, or before one.
; CHECK: fence release
; CHECK-NEXT: %elsewhere = load
; CHECK-NEXT: store i32 3, ptr addrspace(1) %flag
; CHECK: store ptr %{{.*}}, ptr %{{.*}}, align 8
; CHECK-NEXT: store i32 4
; CHECK-NOT: store ptr
; CHECK: store i32 5
; CHECK: store ptr %{{.*}}, ptr %{{.*}}, align 8
; CHECK: fence seq_cst
; CHECK-NOT: store ptr
define void @lockstep.sub_group(ptr %launch, ptr %group, ptr %frame, i64 %sub.group) {
entry:
  %private = alloca i32
  %flag = load ptr addrspace(1), ptr %launch
  store atomic i32 1, ptr addrspace(1) %flag release, align 4
  store volatile i32 1, ptr addrspace(1) %flag, align 4
  %old = atomicrmw add ptr addrspace(1) %flag, i32 1 monotonic
  %pair = cmpxchg ptr addrspace(1) %flag, i32 0, i32 1 monotonic monotonic
  %ticket = atomicrmw add ptr addrspace(1) %flag, i32 1 monotonic
  store i32 %ticket, ptr %private
  store volatile i32 1, ptr %private
  %shared = atomicrmw add ptr addrspace(3) @shared, i32 1 monotonic
  %unknown = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  fence release
  %elsewhere = load i32, ptr addrspace(3) @shared
  store i32 3, ptr addrspace(1) %flag
  store i32 4, ptr addrspace(1) %flag
  store i32 5, ptr addrspace(1) %flag
  store i32 6, ptr %private
  fence seq_cst
  ret void
}

@shared = internal addrspace(3) global i32 poison
