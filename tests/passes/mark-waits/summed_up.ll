; RUN: env LOCKSTEP_FORM=auto lockstep-opt -passes=mark-waits %s 2>/dev/null | FileCheck %s

; What a round may write several times is compared in each round and summed up in those that are watched, where the sum
; alone counts.
; CHECK-LABEL: @cleared
; CHECK: %[[TOUCHED:touched.*]] = phi i1
; CHECK: br i1 %watched
; CHECK: ptrtoint
; CHECK: %[[OLD:.*]] = load i32, ptr addrspace(1) %at
; CHECK: %[[DIFFERS:.*]] = icmp ne i32 %[[OLD]], 0
; CHECK: or i1 %[[TOUCHED]], %[[DIFFERS]]
; CHECK: store i32 0, ptr addrspace(1) %at
; CHECK: %[[UNSEEN:.*]] = xor i1 %{{watched.*}}, true
; CHECK: and i1 %[[UNSEEN]], %
; CHECK: icmp ne i64 %{{sum.*}}, 0
; CHECK: call void @__lockstep_wait(i32 0, i1 %
define void @cleared(ptr addrspace(1) noalias %flag, ptr addrspace(1) noalias %out) {
entry:
  br label %loop
loop:
  br label %inner
inner:
  %i = phi i64 [ 0, %loop ], [ %next, %inner ]
  %at = getelementptr i32, ptr addrspace(1) %out, i64 %i
  store i32 0, ptr addrspace(1) %at, align 4
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, 100
  br i1 %again, label %inner, label %look
look:
  store i32 1, ptr addrspace(1) %out, align 4
  %now = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp ne i32 %now, 0
  br i1 %set, label %end, label %loop
end:
  ret void
}

; Of two NaNs, either may be left.
; CHECK-LABEL: @float
; CHECK: %[[FOUND:.*]] = atomicrmw fadd ptr addrspace(1) %sum, float %x
; CHECK: %[[LEFT:.*]] = fadd float %[[FOUND]], %x
; CHECK: %[[UNSURE:.*]] = fcmp uno float %x, %x
; CHECK: bitcast float %[[FOUND]] to i32
; CHECK: bitcast float %[[LEFT]] to i32
; CHECK: call void @__lockstep_wait(i32 1, i1 %
define void @float(ptr addrspace(1) noalias %flag, ptr addrspace(1) noalias %sum, float %x) {
entry:
  br label %loop
loop:
  %found = atomicrmw fadd ptr addrspace(1) %sum, float %x monotonic, align 4
  %now = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp ne i32 %now, 0
  br i1 %set, label %end, label %loop
end:
  ret void
}

; A variable whose life begins in the round leaves nothing to the next one.
; CHECK-LABEL: @forgotten
; CHECK-NOT: br i1 %watched
; CHECK: call void @__lockstep_wait(i32 2, i1 %
define void @forgotten(ptr addrspace(1) noalias %flag, i64 %index) {
entry:
  %own = alloca [100 x i32], align 4
  br label %loop
loop:
  call void @llvm.lifetime.start.p0(ptr %own)
  %at = getelementptr i32, ptr %own, i64 %index
  store i32 1, ptr %own, align 4
  store i32 2, ptr %at, align 4
  %read = load i32, ptr %own, align 4
  %now = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp sgt i32 %now, %read
  call void @llvm.lifetime.end.p0(ptr %own)
  br i1 %set, label %end, label %loop
end:
  ret void
}

; The address of a variable of the kernel is not looked at: it has a name.
; CHECK-LABEL: @own_memory
; CHECK-NOT: ptrtoint
; CHECK: call void @__lockstep_wait(i32 3, i1 %
define void @own_memory(ptr addrspace(1) noalias %flag, i64 %index) {
entry:
  %own = alloca [100 x i32], align 4
  br label %loop
loop:
  %at = getelementptr i32, ptr %own, i64 %index
  store i32 1, ptr %own, align 4
  store i32 2, ptr %at, align 4
  %read = load i32, ptr %own, align 4
  %now = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp sgt i32 %now, %read
  br i1 %set, label %end, label %loop
end:
  ret void
}

; What a group copies together, in a loop over parts of elements.
; CHECK-LABEL: @group_copy
; CHECK: br i1 %watched
; CHECK: icmp ult i64 %{{.*}}, 32
; CHECK: udiv i64
; CHECK: load i64, ptr addrspace(4)
; CHECK: call void @__lockstep_group_copy
; CHECK: call void @__lockstep_wait(i32 4, i1 %
define void @group_copy(ptr addrspace(1) noalias %flag, ptr addrspace(4) %to, ptr addrspace(4) %from) {
entry:
  br label %loop
loop:
  store i32 1, ptr addrspace(4) %from, align 4
  call void @__lockstep_group_copy(ptr addrspace(4) %to, ptr addrspace(4) %from, i64 16, i64 1, i64 1, i64 16)
  %now = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp ne i32 %now, 0
  br i1 %set, label %end, label %loop
end:
  ret void
}
declare void @__lockstep_group_copy(ptr addrspace(4), ptr addrspace(4), i64, i64, i64, i64)
