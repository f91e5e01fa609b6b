; RUN: lockstep-opt -nvidia=sm_90 -passes=retarget %s | FileCheck %s
; Constant memory becomes global memory, generic pointers become plain ones, casts between equal spaces disappear, also in
; constants. Intrinsics have the names of the new types.
target triple = "spir64-unknown-unknown"

; CHECK: target datalayout = "e-p6:32:32-i64:64
; CHECK: target triple = "nvptx64-nvidia-cuda"
; CHECK: @table = internal addrspace(1) constant [2 x i32]
; CHECK: @place = internal addrspace(1) constant ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(1) @table to ptr), i64 4)
; CHECK: @scratch = internal addrspace(3) global [4 x i32] undef, align 4{{$}}
@table = internal addrspace(2) constant [2 x i32] [i32 1, i32 2]
@place = internal addrspace(2) constant ptr addrspace(4) getelementptr (i8, ptr addrspace(4) addrspacecast (ptr addrspace(2) @table to ptr addrspace(4)), i64 4)
@scratch = internal addrspace(3) global [4 x i32] undef, section "lockstep.local", align 4

declare void @llvm.memcpy.p4.p2.i64(ptr addrspace(4), ptr addrspace(2), i64, i1)

; CHECK-LABEL: define void @kernel(ptr addrspace(1) %constants, ptr addrspace(1) %out)
; CHECK: [[GENERIC:%.*]] = addrspacecast ptr addrspace(1) %out to ptr
; CHECK: call void @llvm.memcpy.p0.p1.i64(ptr [[GENERIC]], ptr addrspace(1) %constants, i64 8, i1 false)
; CHECK: [[PRIVATE:%.*]] = alloca ptr,
; CHECK: store ptr [[GENERIC]], ptr [[PRIVATE]]
; CHECK: load i32, ptr [[PRIVATE]]
; CHECK: load i32, ptr addrspacecast (ptr addrspace(3) @scratch to ptr)
; CHECK: ret void
define void @kernel(ptr addrspace(2) %constants, ptr addrspace(1) %out) {
  %generic = addrspacecast ptr addrspace(1) %out to ptr addrspace(4)
  call void @llvm.memcpy.p4.p2.i64(ptr addrspace(4) %generic, ptr addrspace(2) %constants, i64 8, i1 false)
  %private = alloca ptr addrspace(4)
  store ptr addrspace(4) %generic, ptr %private
  %as_generic = addrspacecast ptr %private to ptr addrspace(4)
  %value = load i32, ptr addrspace(4) %as_generic
  %other = load i32, ptr addrspace(4) addrspacecast (ptr addrspace(3) @scratch to ptr addrspace(4))
  %sum = add i32 %value, %other
  store i32 %sum, ptr addrspace(1) %out
  %used = load ptr addrspace(4), ptr addrspace(2) @place
  store i32 %sum, ptr addrspace(4) %used
  ret void
}
