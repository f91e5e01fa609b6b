; RUN: lockstep-opt -passes='block-products' %s | FileCheck %s
; No block where few rows run at once anyway, where work-items leave before the loop, where the loop adds no products, or
; where its iterations load neighbors, as those of a filter do.

; CHECK-NOT: @__lockstep_barrier
define void @few_rows(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i64 %n) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %a.begin = mul i64 %y, %n
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %a.index = add i64 %a.begin, %k
  %a.at = getelementptr float, ptr addrspace(1) %a, i64 %a.index
  %a.value = load float, ptr addrspace(1) %a.at
  %b.begin = mul i64 %k, %n
  %b.index = add i64 %b.begin, %x
  %b.at = getelementptr float, ptr addrspace(1) %b, i64 %b.index
  %b.value = load float, ptr addrspace(1) %b.at
  %sum.next = call float @llvm.fmuladd.f32(float %a.value, float %b.value, float %sum)
  %k.next = add i64 %k, 1
  %more = icmp ne i64 %k.next, %n
  br i1 %more, label %loop, label %end
end:
  %c.index = add i64 %a.begin, %x
  %c.at = getelementptr float, ptr addrspace(1) %c, i64 %c.index
  store float %sum.next, ptr addrspace(1) %c.at
  ret void
}

define void @guarded(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i64 %n) #1 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %a.begin = mul i64 %y, %n
  %inside = icmp ult i64 %x, %n
  br i1 %inside, label %begin, label %out
begin:
  br label %loop
loop:
  %k = phi i64 [ 0, %begin ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %begin ], [ %sum.next, %loop ]
  %a.index = add i64 %a.begin, %k
  %a.at = getelementptr float, ptr addrspace(1) %a, i64 %a.index
  %a.value = load float, ptr addrspace(1) %a.at
  %b.begin = mul i64 %k, %n
  %b.index = add i64 %b.begin, %x
  %b.at = getelementptr float, ptr addrspace(1) %b, i64 %b.index
  %b.value = load float, ptr addrspace(1) %b.at
  %sum.next = call float @llvm.fmuladd.f32(float %a.value, float %b.value, float %sum)
  %k.next = add i64 %k, 1
  %more = icmp ne i64 %k.next, %n
  br i1 %more, label %loop, label %end
end:
  %c.index = add i64 %a.begin, %x
  %c.at = getelementptr float, ptr addrspace(1) %c, i64 %c.index
  store float %sum.next, ptr addrspace(1) %c.at
  br label %out
out:
  ret void
}

define void @sums(ptr addrspace(1) %b, ptr addrspace(1) %c, i64 %n) #1 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %b.begin = mul i64 %k, %n
  %b.index = add i64 %b.begin, %x
  %b.at = getelementptr float, ptr addrspace(1) %b, i64 %b.index
  %b.value = load float, ptr addrspace(1) %b.at
  %sum.next = fadd float %b.value, %sum
  %k.next = add i64 %k, 1
  %more = icmp ne i64 %k.next, %n
  br i1 %more, label %loop, label %end
end:
  %c.at = getelementptr float, ptr addrspace(1) %c, i64 %x
  store float %sum.next, ptr addrspace(1) %c.at
  ret void
}

define void @filter(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i64 %n) #1 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %a.begin = mul i64 %y, %n
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %a.index = add i64 %a.begin, %k
  %a.at = getelementptr float, ptr addrspace(1) %a, i64 %a.index
  %a.value = load float, ptr addrspace(1) %a.at
  %b.index = add i64 %k, %x
  %b.at = getelementptr float, ptr addrspace(1) %b, i64 %b.index
  %b.value = load float, ptr addrspace(1) %b.at
  %sum.next = call float @llvm.fmuladd.f32(float %a.value, float %b.value, float %sum)
  %k.next = add i64 %k, 1
  %more = icmp ne i64 %k.next, %n
  br i1 %more, label %loop, label %end
end:
  %c.index = add i64 %a.begin, %x
  %c.at = getelementptr float, ptr addrspace(1) %c, i64 %c.index
  store float %sum.next, ptr addrspace(1) %c.at
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)

attributes #0 = { "lockstep-local-size"="32,8,1" "lockstep-sub-group-size"="32" }
attributes #1 = { "lockstep-local-size"="32,16,1" "lockstep-sub-group-size"="32" }
