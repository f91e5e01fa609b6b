; RUN: lockstep-opt -passes=lower-group-atomics %s | FileCheck %s
; Nothing multiplies memory at once: a worker's copy is multiplied by plain instructions, all else by a loop that swaps.

; CHECK-LABEL: @products
; CHECK-NEXT: [[OLD:%.*]] = load i32, ptr addrspace(1) %own, align 4
; CHECK-NEXT: [[NEW:%.*]] = mul i32 [[OLD]], %v
; CHECK-NEXT: store i32 [[NEW]], ptr addrspace(1) %own, align 4
; CHECK-NEXT: [[FIRST:%.*]] = load atomic i64, ptr addrspace(1) %shared monotonic, align 8
; CHECK: multiply:
; CHECK-NEXT: [[EXPECTED:%.*]] = phi i64 [ [[FIRST]], {{.*}} ], [ [[SEEN:%.*]], %multiply ]
; CHECK-NEXT: [[FACTOR:%.*]] = bitcast i64 [[EXPECTED]] to double
; CHECK-NEXT: [[PRODUCT:%.*]] = fmul double [[FACTOR]], %d
; CHECK-NEXT: [[BITS:%.*]] = bitcast double [[PRODUCT]] to i64
; CHECK-NEXT: [[SWAP:%.*]] = cmpxchg weak ptr addrspace(1) %shared, i64 [[EXPECTED]], i64 [[BITS]] release monotonic, align 8
; CHECK-NEXT: [[SEEN]] = extractvalue { i64, i1 } [[SWAP]], 0
; CHECK-NEXT: [[DONE:%.*]] = extractvalue { i64, i1 } [[SWAP]], 1
; CHECK-NEXT: br i1 [[DONE]], label {{.*}}, label %multiply
; CHECK-NOT: call
define void @products(ptr addrspace(1) %own, ptr addrspace(1) %shared, i32 %v, double %d) {
  call void @__lockstep_atomic_multiply_i32(ptr addrspace(1) %own, i32 %v, i32 2), !lockstep.privatized !0
  call void @__lockstep_atomic_multiply_f64(ptr addrspace(1) %shared, double %d, i32 5)
  ret void
}
declare void @__lockstep_atomic_multiply_i32(ptr addrspace(1), i32, i32)
declare void @__lockstep_atomic_multiply_f64(ptr addrspace(1), double, i32)
!0 = !{i32 0}
