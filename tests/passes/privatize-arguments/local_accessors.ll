; RUN: lockstep-opt -passes=privatize-arguments -local-argument=8:0:64:4 -local-argument=24:1:32:16 -local-argument=32:0:64:4 %s | FileCheck %s --check-prefixes=CHECK,COPY
; RUN: lockstep-opt -passes='privatize-arguments,function(sroa)' -local-argument=8:0:64:4 -local-argument=24:1:32:16 -local-argument=32:0:64:4 %s | FileCheck %s --check-prefixes=CHECK,GONE
; The addresses of local variables stand at their places of a copy of argument 0, those of the same variable are the same;
; after SROA the accesses are the variables'.

; CHECK: @[[FIRST:.*]] = internal addrspace(3) global [64 x i8] poison, section "lockstep.local", align 4
; CHECK: @[[SECOND:.*]] = internal addrspace(3) global [32 x i8] poison, section "lockstep.local", align 16
; CHECK-LABEL: define spir_kernel void @kernel
; COPY: %function.copy = alloca [40 x i8]
; COPY: getelementptr inbounds i8, ptr %function.copy, i64 8
; COPY: store ptr addrspace(4) addrspacecast (ptr addrspace(3) @[[FIRST]] to ptr addrspace(4))
; COPY: getelementptr inbounds i8, ptr %function.copy, i64 24
; COPY: store ptr addrspace(4) addrspacecast (ptr addrspace(3) @[[SECOND]] to ptr addrspace(4))
; COPY: getelementptr inbounds i8, ptr %function.copy, i64 32
; COPY: store ptr addrspace(4) addrspacecast (ptr addrspace(3) @[[FIRST]] to ptr addrspace(4))
; GONE-NOT: %function.copy = alloca
; GONE: store i32 1, ptr addrspace(4) addrspacecast (ptr addrspace(3) @[[FIRST]]
; GONE: store i32 2, ptr addrspace(4) addrspacecast (ptr addrspace(3) @[[SECOND]]
define spir_kernel void @kernel(ptr byval([40 x i8]) align 8 %function) {
  %at.first = getelementptr i8, ptr %function, i64 8
  %first = load ptr addrspace(4), ptr %at.first
  store i32 1, ptr addrspace(4) %first
  %at.second = getelementptr i8, ptr %function, i64 24
  %second = load ptr addrspace(4), ptr %at.second
  store i32 2, ptr addrspace(4) %second
  ret void
}
