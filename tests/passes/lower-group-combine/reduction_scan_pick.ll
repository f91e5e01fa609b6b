; RUN: lockstep-opt -passes=lower-group-combine %s | FileCheck %s
; A reduction leaves the result in front of the partial results, a scan replaces each by what was before it, a pick
; copies one.

; CHECK-LABEL: @reduction
; CHECK: combine:
; CHECK: %partial = phi i64 [ 1, %entry ], [ [[NEXT:%.*]], %combine ]
; CHECK: %so.far = phi float [ -0.000000e+00, %entry ], [ [[SUM:%.*]], %combine ]
; CHECK: [[ONE:%.*]] = load float
; CHECK-NOT: store
; CHECK: [[SUM]] = fadd reassoc nsz float %so.far, [[ONE]]
; CHECK: [[NEXT]] = add nuw i64 %partial, 1
; CHECK: icmp ule i64 [[NEXT]], %n
; CHECK: combined:
; CHECK: store float [[SUM]], ptr addrspace(3) %scratch, align 8
define void @reduction(ptr addrspace(3) %scratch, i64 %n) {
entry:
  call void @__lockstep_group_combine_f32(i32 0, i32 0, ptr addrspace(3) %scratch, i64 %n)
  ret void
}

; CHECK-LABEL: @scan
; CHECK: %so.far = phi i32 [ -2147483648, %entry ]
; CHECK: load i32
; CHECK: store i32 %so.far
; CHECK: call i32 @llvm.smax.i32
define void @scan(ptr addrspace(3) %scratch, i64 %n) {
entry:
  call void @__lockstep_group_combine_i32(i32 3, i32 1, ptr addrspace(3) %scratch, i64 %n)
  ret void
}

; CHECK-LABEL: @pick
; CHECK-NEXT: [[PLACE:%.*]] = add i64 %n, 1
; CHECK-NEXT: [[SLOT:%.*]] = getelementptr inbounds i64, ptr addrspace(3) %scratch, i64 [[PLACE]]
; CHECK-NEXT: [[ONE:%.*]] = load i64, ptr addrspace(3) [[SLOT]]
; CHECK-NEXT: store i64 [[ONE]], ptr addrspace(3) %scratch
; CHECK-NEXT: ret void
define void @pick(ptr addrspace(3) %scratch, i64 %n) {
  call void @__lockstep_group_combine_i64(i32 0, i32 2, ptr addrspace(3) %scratch, i64 %n)
  ret void
}

declare void @__lockstep_group_combine_f32(i32, i32, ptr addrspace(3), i64) convergent nounwind
declare void @__lockstep_group_combine_i32(i32, i32, ptr addrspace(3), i64) convergent nounwind
declare void @__lockstep_group_combine_i64(i32, i32, ptr addrspace(3), i64) convergent nounwind
