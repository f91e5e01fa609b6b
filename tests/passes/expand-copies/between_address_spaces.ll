; RUN: lockstep-opt -passes=expand-copies %s | FileCheck %s
; A structure moves from global memory to a private array: LLVM's own expansion refuses some such pairs. All is loaded
; before anything is stored, in words of four bytes and what is left, and the alignment of each word is known.

; CHECK-LABEL: @lockstep.kernel
; CHECK-NOT: llvm.mem
; CHECK: load i32, ptr addrspace(1) %from, align 8
; CHECK: [[PLACE:%.*]] = getelementptr inbounds i8, ptr addrspace(1) %from, i64 4
; CHECK: load i32, ptr addrspace(1) [[PLACE]], align 4
; CHECK: load i16, {{.*}} align 8
; CHECK: load i8, {{.*}} align 2
; CHECK: store i32 {{.*}}, ptr %place, align 4
; CHECK: store i32
; CHECK: store i16
; CHECK: store i8
; CHECK-NOT: br
; CHECK: ret void
define void @lockstep.kernel(ptr addrspace(1) %from, i64 %i) "lockstep-sub-group-size"="16" {
  %array = alloca [16 x i32]
  %place = getelementptr i32, ptr %array, i64 %i
  %to = addrspacecast ptr %place to ptr addrspace(4)
  call void @llvm.memmove.p4.p1.i64(ptr addrspace(4) align 4 %to, ptr addrspace(1) align 8 %from, i64 11, i1 false)
  ret void
}

; CHECK-LABEL: @lockstep.longer
; Far too long for a row. What cannot overlap is copied from the front only.
; CHECK: {{^}}copy.words:
; CHECK-NOT: {{^}}copy.words
; CHECK: ret void
define void @lockstep.longer(ptr addrspace(1) %from) "lockstep-sub-group-size"="16" {
  %array = alloca [275 x i32]
  call void @llvm.memmove.p0.p1.i64(ptr align 4 %array, ptr addrspace(1) align 8 %from, i64 1100, i1 false)
  ret void
}
