; RUN: lockstep-opt -passes=mark-waits %s | FileCheck %s
; A private volatile counter of a back-off changes in every round and is the same after each: what is compared is what a
; round leaves in it, not each store.

; CHECK-LABEL: @kernel
; CHECK: %spins.last.round.0 = phi i32
; CHECK-NOT: load volatile i32, ptr %spins, align 4{{$}}
; CHECK: store volatile i32 0, ptr %spins
; CHECK: [[NOW:%.*]] = load i32, ptr %spins
; CHECK: icmp ne i32 %spins.last.round.0, [[NOW]]
; CHECK: call void @__lockstep_wait
define void @kernel(ptr addrspace(1) %flag) "lockstep-sub-group-size"="1" {
entry:
  %spins = alloca i32, align 4
  br label %again
again:
  %value = load atomic i32, ptr addrspace(1) %flag monotonic, align 4
  %set = icmp eq i32 %value, 0
  store volatile i32 0, ptr %spins, align 4
  store volatile i32 1, ptr %spins, align 4
  br i1 %set, label %again, label %end
end:
  ret void
}
