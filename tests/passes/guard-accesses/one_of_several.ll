; RUN: lockstep-opt -passes='guard-accesses,verify' %s | FileCheck %s
; A pointer that comes from one of several variables has with it where in it it points, how large that is, and which it is.

@a = internal addrspace(3) global [64 x i32] undef
@b = internal addrspace(3) global [63 x i32] undef
@c = internal addrspace(3) global [63 x i32] undef

; CHECK-LABEL: define spir_kernel void @ping_pong
; CHECK: loop:
; CHECK-NEXT: %[[OFFSET:.*]] = phi i64 [ 0, %entry ], [ %[[OTHER:[0-9]+]],
; CHECK-NEXT: %[[SIZE:.*]] = phi i64 [ 256, %entry ], [ %[[OTHER_SIZE:[0-9]+]],
; CHECK-NEXT: %[[WHICH:.*]] = phi i32 [ 1, %entry ], [ %[[OTHER_WHICH:[0-9]+]],
; CHECK-NEXT: %from = phi
; CHECK-NEXT: %[[OTHER]] = phi i64 [ 0, %entry ], [ %[[OFFSET]],
; CHECK-NEXT: %[[OTHER_SIZE]] = phi i64 [ 252, %entry ], [ %[[SIZE]],
; CHECK-NEXT: %[[OTHER_WHICH]] = phi i32 [ 0, %entry ], [ %[[WHICH]],
; CHECK-NEXT: %to = phi
; CHECK: %[[AT:.*]] = add i64 %[[OTHER]], %{{.*}}
; CHECK: %[[LIMIT:.*]] = call i64 @llvm.usub.sat.i64(i64 %[[OTHER_SIZE]], i64 3)
; CHECK: icmp ult i64 %[[AT]], %[[LIMIT]]
; CHECK: icmp eq i32 %[[OTHER_WHICH]], 0
; CHECK: call void @__lockstep_check_outside({{.*}}, i64 252)
; CHECK: icmp eq i32 %[[OTHER_WHICH]], 1
; CHECK: call void @__lockstep_check_outside({{.*}}, i64 256)
define spir_kernel void @ping_pong(i64 %i, i1 %c) {
entry:
  br label %loop
loop:
  %from = phi ptr addrspace(3) [ @a, %entry ], [ %to, %loop ]
  %to = phi ptr addrspace(3) [ @b, %entry ], [ %from, %loop ]
  %place = getelementptr i32, ptr addrspace(3) %to, i64 %i
  store i32 1, ptr addrspace(3) %place
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; Of one size: a comparison with a number.
; CHECK-LABEL: define spir_kernel void @same_size
; CHECK: icmp ult i64 %{{.*}}, 249
define spir_kernel void @same_size(i64 %i, i1 %c) {
  %base = select i1 %c, ptr addrspace(3) @b, ptr addrspace(3) @c
  %place = getelementptr i32, ptr addrspace(3) %base, i64 %i
  store i32 1, ptr addrspace(3) %place
  ret void
}

; Beside an argument, of which the launch knows the size.
; CHECK-LABEL: define spir_kernel void @with_argument
; CHECK: %[[ASKED:.*]] = call i64 @__lockstep_check_extent(i32 1, i32 2)
; CHECK: select i1 %c, i64 256, i64 %[[ASKED]]
define spir_kernel void @with_argument(i64 %i, i1 %c, ptr addrspace(3) %tmp) {
  %base = select i1 %c, ptr addrspace(3) @a, ptr addrspace(3) %tmp
  %place = getelementptr i32, ptr addrspace(3) %base, i64 %i
  %loaded = load i32, ptr addrspace(3) %place
  ret void
}
