; RUN: lockstep-opt -passes='track-undefined,function(sroa,instcombine)' %s | FileCheck %s
; What becomes of undefined bits: stores say which are, and whether they were computed.

; A copy is none.
; CHECK-LABEL: define spir_kernel void @copied
; CHECK: call void @__lockstep_undefined_store.i32.p1(ptr addrspace(1) align 4 %to, i32 -1, i1 false,
define spir_kernel void @copied(ptr addrspace(1) %to) {
  %x = alloca i32, align 4
  %v = load i32, ptr %x, align 4
  store i32 %v, ptr addrspace(1) %to, align 4
  ret void
}

; CHECK-LABEL: define spir_kernel void @added
; CHECK: call void @__lockstep_undefined_store.i32.p1(ptr addrspace(1) align 4 %to, i32 -1, i1 true,
define spir_kernel void @added(ptr addrspace(1) %to, i32 %a) {
  %x = alloca i32, align 4
  %v = load i32, ptr %x, align 4
  %w = add i32 %v, %a
  store i32 %w, ptr addrspace(1) %to, align 4
  ret void
}

; A mask leaves what it selects. (4095 - 255: these bits are open.)
; CHECK-LABEL: define spir_kernel void @masked
; CHECK: call void @__lockstep_undefined_store.i32.p1(ptr addrspace(1) align 4 %to, i32 3840, i1 false,
define spir_kernel void @masked(ptr addrspace(1) %to, i32 %a) {
  %x = alloca i32, align 4
  %v = load i32, ptr %x, align 4
  %w = and i32 %v, 3840
  store i32 %w, ptr addrspace(1) %to, align 4
  ret void
}

; Moved by an amount that has no undefined bit it is a copy still, though that was made of what has.
; CHECK-LABEL: define spir_kernel void @shifted
; CHECK: call void @__lockstep_undefined_store.i32.p1(ptr addrspace(1) align 4 %to, i32 -1, i1 false,
; CHECK: call void @__lockstep_undefined_store.i32.p1(ptr addrspace(1) align 4 %to, i32 {{.*}}, i1 true,
define spir_kernel void @shifted(ptr addrspace(1) %to, i32 %a) {
  %x = alloca i32, align 4
  %v = load i32, ptr %x, align 4
  %sum = add i32 %v, %a
  %high = shl i32 %sum, 26
  %amount = and i32 %high, 31
  %w = ashr i32 %v, %amount
  store i32 %w, ptr addrspace(1) %to, align 4
  %any = and i32 %sum, 31
  %u = ashr i32 %v, %any
  store i32 %u, ptr addrspace(1) %to, align 4
  ret void
}

; Whichever of two is chosen, bits that both have are defined: 6 and 5 differ in two, 6 and 6 in none.
; CHECK-LABEL: define spir_kernel void @chosen
; CHECK: call void @__lockstep_undefined_store.i32.p1(ptr addrspace(1) align 4 %to, i32 3, i1 true,
; CHECK: call void @__lockstep_undefined_store.i32.p1(ptr addrspace(1) align 4 %to, i32 0,
define spir_kernel void @chosen(ptr addrspace(1) %to) {
  %x = alloca i32, align 4
  %v = load i32, ptr %x, align 4
  %c = icmp ugt i32 %v, 5
  %one = select i1 %c, i32 6, i32 5
  store i32 %one, ptr addrspace(1) %to, align 4
  %same = select i1 %c, i32 6, i32 6
  store i32 %same, ptr addrspace(1) %to, align 4
  ret void
}

; The fourth element of a vector of three is nobody's.
; CHECK-LABEL: define spir_kernel void @three
; CHECK: call void @__lockstep_undefined_store.v4i32.p1(ptr addrspace(1) align 16 %to, <4 x i32> <i32 0, i32 0, i32 0, i32 -1>, i1 false,
define spir_kernel void @three(ptr addrspace(1) %to, <3 x float> %a) {
  %sum = fadd <3 x float> %a, %a
  %four = shufflevector <3 x float> %sum, <3 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 poison>
  store <4 x float> %four, ptr addrspace(1) %to, align 16
  ret void
}

; What comes from memory, and structures, byte by byte.
; CHECK-LABEL: define spir_kernel void @through_memory
; CHECK: %[[LOW:.*]] = call i64 @__lockstep_undefined_load.i64.p1(ptr addrspace(1)
; CHECK: %[[COMPUTED:.*]] = call i64 @__lockstep_computed_load.i64.p1(ptr addrspace(1)
; CHECK: call i32 @__lockstep_undefined_load.i32.p1(ptr addrspace(1)
; CHECK: call void @__lockstep_undefined_store.i64.p1(ptr addrspace(1) align 1 %to, i64 %[[LOW]],
define spir_kernel void @through_memory(ptr addrspace(1) %to, ptr addrspace(1) %from) {
  %x = alloca { i64, i32 }, align 8
  call void @llvm.memcpy.p0.p1.i64(ptr align 8 %x, ptr addrspace(1) align 8 %from, i64 12, i1 false)
  call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) align 8 %to, ptr align 8 %x, i64 12, i1 false)
  ret void
}

; An update of what was never written is seen by who knows that; what it reads counts as written.
; CHECK-LABEL: define spir_kernel void @updated
; CHECK: call void @__lockstep_undefined_update.i32.p1(ptr addrspace(1) %to, i32 1, i32 0,
define spir_kernel void @updated(ptr addrspace(1) %to) {
  %old = atomicrmw add ptr addrspace(1) %to, i32 1 monotonic
  ret void
}

; Sizes that are known only when the kernel runs may be 0.
; CHECK-LABEL: define spir_kernel void @some_bytes
; CHECK: icmp eq i64 %size, 0
; CHECK: call i8 @__lockstep_undefined_load.i8.p1(
; CHECK: call void @__lockstep_undefined_store.i8.p1(
; CHECK: call void @llvm.memcpy
define spir_kernel void @some_bytes(ptr addrspace(1) %to, ptr addrspace(1) %from, i64 %size) {
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %to, ptr addrspace(1) %from, i64 %size, i1 false)
  ret void
}
