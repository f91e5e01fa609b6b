; RUN: lockstep-opt -passes=expand-copies %s | FileCheck %s
; A structure moves from global to local memory: LLVM's own expansion refuses that. All is loaded before anything is
; stored, in words of four bytes and what is left, and the alignment of each word is known.

; CHECK-LABEL: @lockstep.kernel
; CHECK-NOT: llvm.mem
; CHECK: load i32, ptr addrspace(1) %from, align 8
; CHECK: [[PLACE:%.*]] = getelementptr inbounds i8, ptr addrspace(1) %from, i64 4
; CHECK: load i32, ptr addrspace(1) [[PLACE]], align 4
; CHECK: load i16, {{.*}} align 8
; CHECK: load i8, {{.*}} align 2
; CHECK: store i32 {{.*}}, ptr addrspace(3) %to, align 4
; CHECK: store i32
; CHECK: store i16
; CHECK: store i8
; CHECK-NOT: br
; CHECK: ret void
define void @lockstep.kernel(ptr addrspace(1) %from, ptr addrspace(3) %to) "lockstep-sub-group-size"="16" {
  call void @llvm.memmove.p3.p1.i64(ptr addrspace(3) align 4 %to, ptr addrspace(1) align 8 %from, i64 11, i1 false)
  ret void
}

; CHECK-LABEL: @lockstep.longer
; Far too long for a row. What cannot overlap is copied from the front only.
; CHECK: {{^}}copy.words:
; CHECK-NOT: {{^}}copy.words
; CHECK: ret void
define void @lockstep.longer(ptr addrspace(1) %from, ptr addrspace(3) %to) "lockstep-sub-group-size"="16" {
  call void @llvm.memmove.p3.p1.i64(ptr addrspace(3) align 4 %to, ptr addrspace(1) align 8 %from, i64 1100, i1 false)
  ret void
}
