; RUN: lockstep-opt -passes=guard-accesses --failed-assumptions=0xffffffffffffffff %s | FileCheck %s
; What is known of undefined bits lies beside the memory, and is not looked at where the access itself is not made: then all is
; defined. Nobody is told of it a second time.

@tile = internal addrspace(3) global [64 x i32] undef

; CHECK-LABEL: define spir_kernel void @argument
; CHECK: br i1 %{{.*}}, label %[[MADE:.*]], label %[[REFUSED:.*]], !prof
; CHECK: [[MADE]]:
; CHECK-NEXT: load i32, ptr addrspace(1) %beside
; CHECK: [[REFUSED]]:
; CHECK-NEXT: br label
; CHECK: phi i32 [ %{{.*}}, %[[MADE]] ], [ -1, %[[REFUSED]] ]
; CHECK: br i1
; CHECK: store i32 0, ptr addrspace(1) %beside
; CHECK-NOT: check_outside
; CHECK: ret void
define spir_kernel void @argument(ptr addrspace(1) %from, i64 %i, i64 %distance) {
  %p = getelementptr inbounds i32, ptr addrspace(1) %from, i64 %i
  %beside = getelementptr i8, ptr addrspace(1) %p, i64 %distance
  %bits = load i32, ptr addrspace(1) %beside, align 4, !nosanitize !1
  call void @use(i32 %bits)
  store i32 0, ptr addrspace(1) %beside, align 4, !nosanitize !0
  ret void
}

; By numbers, where LLVM would take the plane for a variable. Of what is computed nothing is known then.
; CHECK-LABEL: define spir_kernel void @variable
; CHECK: icmp ult i64 %{{.*}}, 253
; CHECK: phi i32 [ %{{.*}}, %{{.*}} ], [ 0, %{{.*}} ]
; CHECK-NOT: check_outside
; CHECK: ret void
define spir_kernel void @variable(i64 %i, i64 %distance) {
  %p = getelementptr inbounds i32, ptr addrspace(3) @tile, i64 %i
  %number = ptrtoint ptr addrspace(3) %p to i64
  %sum = add i64 %number, %distance
  %beside = inttoptr i64 %sum to ptr addrspace(3)
  %computed = load i32, ptr addrspace(3) %beside, align 4, !nosanitize !0
  call void @use(i32 %computed)
  ret void
}

; A group copies nothing of it.
; CHECK-LABEL: define spir_kernel void @copy
; CHECK: %[[COUNT:.*]] = select i1 %{{.*}}, i64 16, i64 0
; CHECK: call void @__lockstep_group_copy(ptr addrspace(1) %beside, ptr addrspace(3) %{{.*}}, i64 %{{.*}}, i64 1, i64 1, i64 4)
; CHECK-NOT: check_outside
; CHECK: ret void
define spir_kernel void @copy(ptr addrspace(1) %to, i64 %i, i64 %distance, i1 %has, ptr addrspace(3) %nothing) {
  %p = getelementptr inbounds i32, ptr addrspace(1) %to, i64 %i
  %beside = getelementptr i8, ptr addrspace(1) %p, i64 %distance
  %q = getelementptr i8, ptr addrspace(3) @tile, i64 256
  %chosen = select i1 %has, ptr addrspace(3) %q, ptr addrspace(3) %nothing
  call void @__lockstep_group_copy(ptr addrspace(1) %beside, ptr addrspace(3) %chosen, i64 16, i64 1, i64 1, i64 4), !nosanitize !0
  ret void
}

declare void @use(i32)
declare void @__lockstep_group_copy(ptr addrspace(1), ptr addrspace(3), i64, i64, i64, i64)

!0 = !{}
!1 = !{!"bits"}
