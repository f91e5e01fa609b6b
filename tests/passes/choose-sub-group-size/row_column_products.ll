; RUN: env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes=choose-sub-group-size %s 2>/dev/null | FileCheck %s
; RUN: env LOCKSTEP_CPU=x86-64-v3 lockstep-opt -passes=choose-sub-group-size %s 2>/dev/null | FileCheck %s --check-prefix=FEW
; Sums of products of rows and columns have sub-groups of two registers, where the processor has 32 registers.

; CHECK: @naive({{.*}} [[WIDE:#[0-9]+]]
; CHECK: @tile({{.*}} [[WIDE]]
; CHECK: @integers({{.*}} [[WIDE]]
; CHECK: @doubles({{.*}} [[ONE:#[0-9]+]]
; CHECK: @two_sums({{.*}} [[ONE]]
; CHECK: @one_row({{.*}} [[FLAT:#[0-9]+]]
; CHECK: @rows_of_both({{.*}} [[ONE]]
; CHECK-DAG: attributes [[WIDE]] = {{.*}}"lockstep-sub-group-size"="32"
; CHECK-DAG: attributes [[ONE]] = {{.*}}"lockstep-sub-group-size"="16"
; CHECK-DAG: attributes [[FLAT]] = {{.*}}"lockstep-sub-group-size"="16"
; FEW-NOT: "lockstep-sub-group-size"="32"
; FEW-NOT: "lockstep-sub-group-size"="16"

; sum += a[row * n + k] * b[k * n + column], with indices of 32 bits
define void @naive(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i32 %n) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %group = call i64 @__lockstep_group_id(i32 0)
  %left = shl i64 %group, 5
  %global = add i64 %left, %x
  %column = trunc i64 %global to i32
  %row = trunc i64 %y to i32
  %line = mul i32 %row, %n
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %a.index = add i32 %line, %k
  %a.wide = zext i32 %a.index to i64
  %a.at = getelementptr float, ptr addrspace(1) %a, i64 %a.wide
  %a.value = load float, ptr addrspace(1) %a.at
  %above = mul i32 %k, %n
  %b.index = add i32 %above, %column
  %b.wide = zext i32 %b.index to i64
  %b.at = getelementptr float, ptr addrspace(1) %b, i64 %b.wide
  %b.value = load float, ptr addrspace(1) %b.at
  %sum.next = call float @llvm.fmuladd.f32(float %a.value, float %b.value, float %sum)
  %k.next = add i32 %k, 1
  %more = icmp ult i32 %k.next, %n
  br i1 %more, label %loop, label %end
end:
  %c.index = add i32 %line, %column
  %c.wide = zext i32 %c.index to i64
  %c.at = getelementptr float, ptr addrspace(1) %c, i64 %c.wide
  store float %sum.next, ptr addrspace(1) %c.at
  ret void
}

; Both factors are in local memory, and the loop is unrolled twice.
define void @tile(ptr addrspace(1) %c) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.2, %loop ]
  %a.at = getelementptr [32 x float], ptr addrspace(3) @a_tile, i64 %y, i64 %k
  %a.value = load float, ptr addrspace(3) %a.at
  %b.at = getelementptr [32 x float], ptr addrspace(3) @b_tile, i64 %k, i64 %x
  %b.value = load float, ptr addrspace(3) %b.at
  %sum.1 = call float @llvm.fmuladd.f32(float %b.value, float %a.value, float %sum)
  %a.at.2 = getelementptr i8, ptr addrspace(3) %a.at, i64 4
  %a.value.2 = load float, ptr addrspace(3) %a.at.2
  %b.at.2 = getelementptr i8, ptr addrspace(3) %b.at, i64 128
  %b.value.2 = load float, ptr addrspace(3) %b.at.2
  %sum.2 = call float @llvm.fmuladd.f32(float %b.value.2, float %a.value.2, float %sum.1)
  %k.next = add i64 %k, 2
  %more = icmp ult i64 %k.next, 32
  br i1 %more, label %loop, label %end
end:
  %c.at = getelementptr [32 x float], ptr addrspace(1) %c, i64 %y, i64 %x
  store float %sum.2, ptr addrspace(1) %c.at
  ret void
}

define void @integers(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i64 %n) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %line = mul i64 %y, %n
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %sum.next, %loop ]
  %a.index = add i64 %line, %k
  %a.at = getelementptr i32, ptr addrspace(1) %a, i64 %a.index
  %a.value = load i32, ptr addrspace(1) %a.at
  %above = mul i64 %k, %n
  %b.index = add i64 %above, %x
  %b.at = getelementptr i32, ptr addrspace(1) %b, i64 %b.index
  %b.value = load i32, ptr addrspace(1) %b.at
  %product = mul i32 %b.value, %a.value
  %thrice = mul i32 %product, 3
  %sum.next = add i32 %sum, %thrice
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %loop, label %end
end:
  %c.index = add i64 %line, %x
  %c.at = getelementptr i32, ptr addrspace(1) %c, i64 %c.index
  store i32 %sum.next, ptr addrspace(1) %c.at
  ret void
}

; 16 lanes are two registers already.
define void @doubles(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i64 %n) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %line = mul i64 %y, %n
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi double [ 0.0, %entry ], [ %sum.next, %loop ]
  %a.index = add i64 %line, %k
  %a.at = getelementptr double, ptr addrspace(1) %a, i64 %a.index
  %a.value = load double, ptr addrspace(1) %a.at
  %above = mul i64 %k, %n
  %b.index = add i64 %above, %x
  %b.at = getelementptr double, ptr addrspace(1) %b, i64 %b.index
  %b.value = load double, ptr addrspace(1) %b.at
  %sum.next = call double @llvm.fmuladd.f64(double %a.value, double %b.value, double %sum)
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %loop, label %end
end:
  %c.index = add i64 %line, %x
  %c.at = getelementptr double, ptr addrspace(1) %c, i64 %c.index
  store double %sum.next, ptr addrspace(1) %c.at
  ret void
}

; Two sums of each work-item make the block higher, and need its registers.
define void @two_sums(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i64 %n) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %line = mul i64 %y, %n
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %other = phi float [ 0.0, %entry ], [ %other.next, %loop ]
  %a.index = add i64 %line, %k
  %a.at = getelementptr float, ptr addrspace(1) %a, i64 %a.index
  %a.value = load float, ptr addrspace(1) %a.at
  %above = mul i64 %k, %n
  %b.index = add i64 %above, %x
  %b.at = getelementptr float, ptr addrspace(1) %b, i64 %b.index
  %b.value = load float, ptr addrspace(1) %b.at
  %sum.next = call float @llvm.fmuladd.f32(float %a.value, float %b.value, float %sum)
  %other.next = call float @llvm.fmuladd.f32(float %b.value, float %a.value, float %other)
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %loop, label %end
end:
  %both = fadd float %sum.next, %other.next
  %c.index = add i64 %line, %x
  %c.at = getelementptr float, ptr addrspace(1) %c, i64 %c.index
  store float %both, ptr addrspace(1) %c.at
  ret void
}

; A group of one row shares no column with others.
define void @one_row(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i64 %n) #1 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_group_id(i32 1)
  %line = mul i64 %y, %n
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %a.index = add i64 %line, %k
  %a.at = getelementptr float, ptr addrspace(1) %a, i64 %a.index
  %a.value = load float, ptr addrspace(1) %a.at
  %above = mul i64 %k, %n
  %b.index = add i64 %above, %x
  %b.at = getelementptr float, ptr addrspace(1) %b, i64 %b.index
  %b.value = load float, ptr addrspace(1) %b.at
  %sum.next = call float @llvm.fmuladd.f32(float %a.value, float %b.value, float %sum)
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %loop, label %end
end:
  %c.index = add i64 %line, %x
  %c.at = getelementptr float, ptr addrspace(1) %c, i64 %c.index
  store float %sum.next, ptr addrspace(1) %c.at
  ret void
}

; a * transposed b: neighbors in a row load elements of different rows, which are gathers.
define void @rows_of_both(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i64 %n) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %line = mul i64 %y, %n
  %b.line = mul i64 %x, %n
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %a.index = add i64 %line, %k
  %a.at = getelementptr float, ptr addrspace(1) %a, i64 %a.index
  %a.value = load float, ptr addrspace(1) %a.at
  %b.index = add i64 %b.line, %k
  %b.at = getelementptr float, ptr addrspace(1) %b, i64 %b.index
  %b.value = load float, ptr addrspace(1) %b.at
  %sum.next = call float @llvm.fmuladd.f32(float %a.value, float %b.value, float %sum)
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %loop, label %end
end:
  %c.index = add i64 %line, %x
  %c.at = getelementptr float, ptr addrspace(1) %c, i64 %c.index
  store float %sum.next, ptr addrspace(1) %c.at
  ret void
}

@a_tile = internal addrspace(3) global [32 x [32 x float]] undef
@b_tile = internal addrspace(3) global [32 x [32 x float]] undef
declare float @llvm.fmuladd.f32(float, float, float)
declare double @llvm.fmuladd.f64(double, double, double)
declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)
attributes #0 = { "lockstep-local-size"="32,16,1" }
attributes #1 = { "lockstep-local-size"="32,1,1" }
