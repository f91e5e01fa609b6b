; RUN: lockstep-opt -passes=track-undefined,verify %s | FileCheck %s
; Nothing is known of a variable whose address others have, nor of what may be one place of it or another.

; CHECK-LABEL: define spir_kernel void @joined
; CHECK: %place = phi ptr [ %next, %one ], [ %known, %other ]
; CHECK-NOT: phi
; CHECK: call void @__lockstep_undefined_store.i32.p1(ptr addrspace(1) align 4 %to, i32 0, i1 false,
define spir_kernel void @joined(i1 %way, ptr addrspace(1) %to) {
entry:
  %known = alloca [4 x i32], align 4
  call void @others(ptr %known)
  %first = load i32, ptr %known, align 4
  store i32 %first, ptr addrspace(1) %to, align 4
  br i1 %way, label %one, label %other
one:
  %next = getelementptr i32, ptr %known, i64 1
  br label %join
other:
  br label %join
join:
  %place = phi ptr [ %next, %one ], [ %known, %other ]
  %value = load i32, ptr %place, align 4
  store i32 %value, ptr addrspace(1) %to, align 4
  ret void
}

declare void @others(ptr)
