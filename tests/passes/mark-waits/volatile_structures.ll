; RUN: env LOCKSTEP_FORM=auto lockstep-opt -passes=mark-waits %s 2>/dev/null | FileCheck %s

; `do t = *p; while (t.flag == 0);` with a volatile structure is a copy, and what is looked at is the copy's.
; CHECK-LABEL: @polled
; CHECK: call void @llvm.memcpy
; CHECK-NEXT: %[[AT:.*]] = addrspacecast ptr addrspace(1) %p to ptr addrspace(4)
; CHECK-NEXT: call void @__lockstep_seen(ptr addrspace(4) %[[AT]], i64 0
; CHECK: call void @__lockstep_wait
define void @polled(ptr addrspace(1) %p) {
entry:
  %t = alloca [20 x i32]
  %flag = getelementptr i8, ptr %t, i64 40
  br label %loop
loop:
  call void @llvm.memcpy.p0.p1.i64(ptr %t, ptr addrspace(1) %p, i64 80, i1 true)
  %value = load i32, ptr %flag
  %is.set = icmp ne i32 %value, 0
  br i1 %is.set, label %exit, label %loop
exit:
  ret void
}

; Its own variable is written by nobody else.
; CHECK-LABEL: @own
; CHECK-NOT: call void @__lockstep_wait
define void @own() {
entry:
  %t = alloca [20 x i32]
  %u = alloca [20 x i32]
  br label %loop
loop:
  call void @llvm.memcpy.p0.p0.i64(ptr %t, ptr %u, i64 80, i1 true)
  %value = load i32, ptr %t
  %is.set = icmp ne i32 %value, 0
  br i1 %is.set, label %exit, label %loop
exit:
  ret void
}

declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
