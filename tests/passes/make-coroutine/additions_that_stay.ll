; RUN: lockstep-opt -passes=make-coroutine %s | FileCheck %s --implicit-check-not='store i32 2'
; The launch gets no addition whose result is used, that a fence follows, that only the group may see, that other memory
; accesses follow in an order, or that is of another size. A sub-group that is a coroutine makes its additions itself.

; CHECK-LABEL: @lockstep.sub_group
; CHECK: switch
; CHECK: %old = atomicrmw add
; CHECK: atomicrmw add ptr addrspace(1) %counter, i32 2 monotonic
; CHECK: fence
; CHECK: atomicrmw add ptr addrspace(1) %counter, i32 3 syncscope("workgroup") monotonic
; CHECK: atomicrmw add ptr addrspace(1) %counter, i32 4 release
; CHECK: load atomic i32
; CHECK: atomicrmw add ptr addrspace(1) %counter, i16 5 monotonic
; CHECK: atomicrmw or ptr addrspace(1) %counter, i32 6 monotonic
; CHECK: atomicrmw volatile add ptr addrspace(1) %counter, i32 7 monotonic
define void @lockstep.sub_group(ptr %launch, ptr %group, ptr %frame, i64 %sub.group) "lockstep-form"="resumable-group" {
entry:
  %counter = load ptr addrspace(1), ptr %launch
  %own = load ptr addrspace(3), ptr %group
  switch i64 %sub.group, label %used [
    i64 1, label %fenced
    i64 2, label %scoped
    i64 3, label %ordered
    i64 4, label %narrow
    i64 5, label %other
    i64 6, label %volatile
  ]
used:
  %old = atomicrmw add ptr addrspace(1) %counter, i32 1 monotonic
  store i32 %old, ptr addrspace(3) %own
  ret void
fenced:
  %1 = atomicrmw add ptr addrspace(1) %counter, i32 2 monotonic
  fence seq_cst
  ret void
scoped:
  %2 = atomicrmw add ptr addrspace(1) %counter, i32 3 syncscope("workgroup") monotonic
  ret void
ordered:
  %3 = atomicrmw add ptr addrspace(1) %counter, i32 4 release
  %seen = load atomic i32, ptr addrspace(1) %counter acquire, align 4
  store i32 %seen, ptr addrspace(3) %own
  ret void
narrow:
  %4 = atomicrmw add ptr addrspace(1) %counter, i16 5 monotonic
  ret void
other:
  %5 = atomicrmw or ptr addrspace(1) %counter, i32 6 monotonic
  ret void
volatile:
  %6 = atomicrmw volatile add ptr addrspace(1) %counter, i32 7 monotonic
  ret void
}
