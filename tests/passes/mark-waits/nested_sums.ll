; RUN: env LOCKSTEP_FORM=auto lockstep-opt -passes=mark-waits %s 2>/dev/null | FileCheck %s

; The stores are writes of both loops, and each is added once to the sum that the loops share. The inner loop compares that sum
; with its value at the begin of the iteration. Only the outer loop sets it to 0.
; CHECK-LABEL: @nested
; CHECK: inner:
; CHECK: %[[FOUND:sum.*]] = phi i64 [ 0, %outer ], [ %[[LEFT:.*]], %.inner_crit_edge ]
; CHECK: %[[BEFORE:before.iteration.*]] = phi i64 [ 0, %outer ], [ %[[LEFT]], %.inner_crit_edge ]
; CHECK: %[[BOTH:.*]] = or i1 %{{watched.*}}, %{{watched.*}}
; CHECK: br i1 %[[BOTH]]
; CHECK-COUNT-2: ptrtoint
; CHECK-NOT: ptrtoint
; CHECK: %[[CHANGE:.*]] = sub i64 %[[LEFT]], %[[BEFORE]]
; CHECK: icmp ne i64 %[[CHANGE]], 0
; CHECK: call void @__lockstep_wait(i32 1, i1 %
; CHECK-NOT: ptrtoint
; CHECK: icmp ne i64 %[[LEFT]], 0
; CHECK: call void @__lockstep_wait(i32 0, i1 %
define void @nested(ptr addrspace(1) noalias %flag, ptr addrspace(1) noalias %out) {
entry:
  br label %outer
outer:
  br label %inner
inner:
  %number = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %at = getelementptr i32, ptr addrspace(1) %out, i32 %number
  store i32 0, ptr addrspace(1) %at, align 4
  store i32 1, ptr addrspace(1) %out, align 4
  %first = icmp eq i32 %number, 0
  br i1 %first, label %inner, label %look
look:
  %now = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp eq i32 %now, 1
  br i1 %set, label %end, label %outer
end:
  ret void
}
