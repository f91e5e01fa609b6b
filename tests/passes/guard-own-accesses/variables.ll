; RUN: lockstep-opt -passes=guard-own-accesses %s | FileCheck %s
; Private variables and constant tables: their sizes are known. What scalar optimization would take away must be told.

@table = internal addrspace(2) constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]

; CHECK-LABEL: define spir_kernel void @private
; CHECK: %[[WITHIN:.*]] = icmp ult i64 %{{.*}}, 29
; CHECK: br i1 %[[WITHIN]], label %{{.*}}, label %[[REFUSED:.*]], !prof
; CHECK: store i32 1, ptr %p
; CHECK: [[REFUSED]]:
; CHECK: %[[OFFSET:.*]] = inttoptr i64 %{{.*}} to ptr addrspace(4)
; CHECK: call void @__lockstep_check_outside(ptr addrspace(4) %[[OFFSET]], {{.*}}, i64 32)
define spir_kernel void @private(i64 %i) {
  %own = alloca [8 x i32]
  %p = getelementptr inbounds i32, ptr %own, i64 %i
  store i32 1, ptr %p
  ret void
}

; CHECK-LABEL: define i32 @lookup
; CHECK: icmp ult i64 %{{.*}}, 13
; CHECK: phi i32
define i32 @lookup(i64 %i) {
  %p = getelementptr inbounds i32, ptr addrspace(2) @table, i64 %i
  %a = load i32, ptr addrspace(2) %p
  ret i32 %a
}

; Known places, one of which is wrong.
; CHECK-LABEL: define spir_kernel void @constant
; CHECK-NEXT: alloca
; CHECK-NOT: br i1
; CHECK: store i32 1
; CHECK: br i1 false
; CHECK: store i32 2
define spir_kernel void @constant() {
  %own = alloca [8 x i32]
  %p = getelementptr i32, ptr %own, i64 7
  %q = getelementptr i32, ptr %own, i64 8
  store i32 1, ptr %p
  store i32 2, ptr %q
  ret void
}

; Memory that others see is looked at later.
; CHECK-LABEL: define spir_kernel void @global
; CHECK-NOT: check_
; CHECK: ret void
define spir_kernel void @global(ptr addrspace(1) %to, i64 %i) {
  %p = getelementptr inbounds i32, ptr addrspace(1) %to, i64 %i
  store i32 1, ptr addrspace(1) %p
  ret void
}
